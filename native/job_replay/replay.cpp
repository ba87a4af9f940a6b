// The calls of a recorded job once more, with durations that may be others: who would have waited how long, and when
// would it have ended? Python prepares and reads the columns: python/clearway/ledger/again/replay.py, which says more.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

namespace {

constexpr std::int64_t kNone = -1;
constexpr double kNoInstant_s = -std::numeric_limits<double>::infinity();

// Rows of different length: those of `row` are values[first[row]] up to before values[first[row + 1]].
struct Rows {
    const std::int64_t* first;
    const std::int64_t* values;
};

// As Python lays it out. Columns by call, sorted by process, then time; a node is a call, or from `calls` on a meeting.
struct Job {
    std::int64_t processes;
    std::int64_t calls;
    std::int64_t meetings;
    const std::int64_t* first;   // by process: its first call; one longer
    const std::uint8_t* begins;  // the process begins anew with it, at clock_s
    const double* clock_s;
    const double* before_s;
    const double* kept_wait_s;
    const double* after_s;
    Rows needs;      // nodes that each call waits for
    Rows members;    // calls that must all have been entered for each meeting
    double* wait_s;  // result, by call
    double* end_s;   // result, by process
};

// Which processes wait for which node, first come, first gone on.
class Waiting {
public:
    Waiting(std::size_t nodes, std::size_t processes)
        : first_(nodes, kNone), last_(nodes, kNone), next_(processes, kNone) {}

    void add(std::int64_t node, std::int64_t process) {
        if (first_[node] == kNone) {
            first_[node] = process;
            asked_for_.push_back(node);
        } else {
            next_[last_[node]] = process;
        }
        last_[node] = process;
        next_[process] = kNone;
    }

    void release(std::int64_t node, std::vector<std::int64_t>& ready) {
        for (std::int64_t process = first_[node]; process != kNone; process = next_[process]) ready.push_back(process);
        first_[node] = kNone;
    }

    // The node that was asked for last of those that somebody waits for, or kNone.
    std::int64_t newest() {
        while (!asked_for_.empty() && first_[asked_for_.back()] == kNone) asked_for_.pop_back();
        return asked_for_.empty() ? kNone : asked_for_.back();
    }

private:
    std::vector<std::int64_t> first_, last_;  // by node
    std::vector<std::int64_t> next_;          // by process
    std::vector<std::int64_t> asked_for_;
};

class Replay {
public:
    explicit Replay(const Job& job)
        : job_(job),
          entered_s_(job.calls + job.meetings, 0.0),
          missing_(job.calls + job.meetings, 1),
          waiting_(job.calls + job.meetings, job.processes),
          at_(job.first, job.first + job.processes),
          inside_(job.processes, false) {
        std::fill_n(job.end_s, job.processes, 0.0);
        std::fill(entered_s_.begin() + job.calls, entered_s_.end(), kNoInstant_s);  // of meetings: the last so far
        index_meetings();
    }

    void run() {
        for (std::int64_t process = 0; process < job_.processes; ++process) ready_.push_back(process);
        while (!ready_.empty()) {
            const std::int64_t process = ready_.back();
            ready_.pop_back();
            go_on(process);
            if (ready_.empty()) break_a_circle();
        }
    }

private:
    void index_meetings() {
        meetings_first_.assign(job_.calls + 1, 0);
        const std::int64_t all = job_.members.first[job_.meetings];
        for (std::int64_t place = 0; place < all; ++place) ++meetings_first_[job_.members.values[place] + 1];
        for (std::int64_t call = 0; call < job_.calls; ++call) meetings_first_[call + 1] += meetings_first_[call];
        meetings_.resize(all);
        std::vector<std::int64_t> place(meetings_first_.begin(), meetings_first_.end() - 1);
        for (std::int64_t meeting = 0; meeting < job_.meetings; ++meeting) {
            const std::int64_t begin = job_.members.first[meeting], end = job_.members.first[meeting + 1];
            missing_[job_.calls + meeting] = end - begin;
            for (std::int64_t member = begin; member < end; ++member)
                meetings_[place[job_.members.values[member]]++] = job_.calls + meeting;
        }
    }

    // Until the process must wait, or is done.
    void go_on(std::int64_t process) {
        while (at_[process] < job_.first[process + 1]) {
            const std::int64_t call = at_[process];
            double& now_s = job_.end_s[process];
            if (!inside_[process]) {
                inside_[process] = true;
                now_s = (job_.begins[call] ? job_.clock_s[call] : now_s) + job_.before_s[call];
                enter(call, now_s);
            }
            double latest_s = now_s;
            for (std::int64_t place = job_.needs.first[call]; place < job_.needs.first[call + 1]; ++place) {
                const std::int64_t need = job_.needs.values[place];
                if (missing_[need] > 0) {
                    waiting_.add(need, process);
                    return;
                }
                latest_s = std::max(latest_s, entered_s_[need]);
            }
            job_.wait_s[call] = latest_s - now_s + job_.kept_wait_s[call];
            now_s = now_s + job_.wait_s[call] + job_.after_s[call];
            inside_[process] = false;
            ++at_[process];
        }
    }

    void enter(std::int64_t call, double entry_s) {
        entered_s_[call] = entry_s;
        missing_[call] = 0;
        waiting_.release(call, ready_);
        for (std::int64_t place = meetings_first_[call]; place < meetings_first_[call + 1]; ++place) {
            const std::int64_t meeting = meetings_[place];
            entered_s_[meeting] = std::max(entered_s_[meeting], entry_s);
            if (--missing_[meeting] == 0) waiting_.release(meeting, ready_);
        }
    }

    // Clocks that differ may tell of one. Who waits there goes on: what it needs has no instant yet.
    void break_a_circle() {
        const std::int64_t need = waiting_.newest();
        if (need == kNone) return;
        missing_[need] = 0;
        if (need < job_.calls) entered_s_[need] = kNoInstant_s;
        waiting_.release(need, ready_);
    }

    const Job& job_;
    std::vector<double> entered_s_;      // by node
    std::vector<std::int64_t> missing_;  // by node: calls that have not been entered yet
    Waiting waiting_;
    std::vector<std::int64_t> at_;  // by process: its call
    std::vector<bool> inside_;
    std::vector<std::int64_t> meetings_first_, meetings_;  // the rows of each call: its meetings
    std::vector<std::int64_t> ready_;
};

}  // namespace

// False where there is not enough memory.
extern "C" __attribute__((visibility("default"))) bool clearway_replay(const Job* job) {
    try {
        Replay(*job).run();
    } catch (const std::bad_alloc&) {
        return false;
    }
    return true;
}
