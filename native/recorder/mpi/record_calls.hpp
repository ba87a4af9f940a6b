// What each kind of MPI call leaves in the record. The generated wrappers call these after the real function.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mpi/abi.hpp"
#include "recorder/jumps.hpp"
#include "recorder/mpi/comms.hpp"
#include "recorder/mpi/messages.hpp"
#include "recorder/mpi/requests.hpp"
#include "recorder/mpi/shared_files.hpp"
#include "recorder/thread.hpp"
#include "run_record/call_cell.hpp"
#include "run_record/layout.hpp"

namespace clearway::recorder {

// Reading the clock costs as much as all the rest of a recorded call, and programs that poll do so millions of
// times a second. So of the calls that return at once by definition (MPI_Iprobe, MPI_Test…) one in four is timed
// and counts for four. Their number is exact; and a timed one that was long stands for itself alone.
enum class Timing { always, sampled };
inline constexpr std::uint32_t kPollsPerTiming = 4;

// A recorded call between its entry and the end of its recording. While it exists, what the MPI calls itself on
// this thread is not recorded.
class Call {
public:
    [[gnu::always_inline]] Call(ThreadState& thread, std::uint16_t function, Timing timing = Timing::always)
        : thread_(thread), function_(function) {
        end_call_when_unwound();
        thread.mpi_depth = 1;  // it was 0: enter() takes no other
        thread.cell->call_function = function;
        if (timing == Timing::always) thread.polling.since = 0;
        if (timing == Timing::sampled && ++thread.polls % kPollsPerTiming != 0) return;
        weight_ = timing == Timing::sampled ? kPollsPerTiming : 1;
        entry_ = now_ticks();
        settle_outside(thread, entry_);
        thread.cell->call_entry_ticks = entry_;
    }
    ~Call() {
        thread_.io_depth = io_depth_;
        thread_.cell->call_function = 0;
        thread_.mpi_depth = 0;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // The real function has returned. From here on the thread is inside the recorder: a signal handler of the program
    // that reads or writes a file now must not come back into its locks.
    [[gnu::always_inline]] void leave() {
        io_depth_ = thread_.io_depth;
        thread_.io_depth = io_depth_ + 1;
        if (weight_ == 0) return;
        exit_ = exit_ticks(entry_);
        const std::uint64_t inside = exit_ - entry_;
        if (inside > checkpoint_interval_ticks) [[unlikely]]
            return settle_long();
        thread_.inside_ticks[static_cast<unsigned>(Where::mpi)] += weight_ * inside;
    }

    // Whose claims on requests are this call's, see messages.hpp.
    std::uint32_t waiter() const { return waiter_of(thread_); }

    // A call that was not timed turned out to matter: it completed a message.
    void note_time() {
        if (weight_ != 0) return;
        entry_ = exit_ = now_ticks();
        settle_outside(thread_, entry_);
    }

    // A loop of polls that find nothing is one wait: the poll that ends it by finding something begins in the record
    // where the first of them did, and what passed between them counts as time in it. Other calls of MPI end it with
    // nothing.
    void settle_poll(bool found) {
        if (!found) {
            if (weight_ != 0) add_to_loop(thread_.polling);
        } else if (thread_.polling.since != 0) {
            end_loop(thread_.polling);
        }
    }
    std::uint64_t since() const { return since_ != 0 ? since_ : entry_; }
    std::uint64_t between_polls_ticks() const { return between_polls_ticks_; }

    ThreadState& thread() const { return thread_; }
    std::uint16_t function() const { return function_; }
    std::uint32_t weight() const { return weight_; }  // how many calls this one's time stands for; 0: not timed
    std::uint64_t entry() const { return entry_; }
    std::uint64_t exit() const { return exit_; }
    std::uint64_t run_delay_ns() const { return run_delay_ns_; }

private:
    [[gnu::noinline]] void settle_long() {
        weight_ = 1;
        run_delay_ns_ = settle_call(thread_, Where::mpi, entry_, exit_);
    }
    // The next to be timed came so soon that the program had hardly anything else to do, or this one took most of that.
    void add_to_loop(Polling& loop) {
        const std::uint64_t inside = exit_ - entry_;
        if (loop.since == 0) {
            loop = {entry_, entry_, 0, 0, 0};
        } else {
            const std::uint64_t cycle = elapsed(loop.last, entry_);
            ++loop.cycles;
            loop.tight_cycles += cycle < checkpoint_interval_ticks / 32 || 2 * kPollsPerTiming * inside > cycle;
            loop.last = entry_;
        }
        loop.inside_ticks += weight_ * inside;
    }
    void end_loop(Polling& loop) {
        note_time();
        if (loop.cycles > 0 && 2 * loop.tight_cycles >= loop.cycles) {
            since_ = loop.since;
            between_polls_ticks_ = elapsed(loop.inside_ticks, elapsed(loop.since, entry_));
            thread_.inside_ticks[static_cast<unsigned>(Where::mpi)] += between_polls_ticks_;
        }
        loop.since = 0;
    }

    ThreadState& thread_;
    std::uint16_t function_;
    std::uint32_t io_depth_ = 0;  // what it was before
    std::uint32_t weight_ = 0;
    std::uint64_t entry_ = 0, exit_ = 0, run_delay_ns_ = 0;
    std::uint64_t since_ = 0, between_polls_ticks_ = 0;
};

// The thread that is to record this call, or null: recording is off, or the call comes from inside the MPI.
inline ThreadState* enter() {
    if (!recording || thread_state.mpi_depth != 0) [[unlikely]]
        return nullptr;
    return this_thread();
}

// A call that ends a communicator or window where `enter` found no thread: inside another call, as callbacks make it,
// or on a thread that has no place in the record. Its handle is forgotten all the same.
template <class End>
int end_unrecorded(Arg handle, End end) {
    if (!recording) return end();
    CommInfo* const forgotten = forget_handle(handle);
    const int result = end();
    if (result == 0) {
        bury(forgotten);
    } else {
        remember_handle(forgotten);
    }
    return result;
}

// Point to point. `request` is the handle made, 0 for blocking calls.
void record_send(Call& call, Arg comm, int dest, int tag, std::uint64_t bytes);
void record_send_init(Call& call, Arg comm, int dest, int tag, std::uint64_t bytes, Arg request);
void record_receive(Call& call, Arg comm, int source, int tag, const StatusRoom& status);
void record_start_receive(Call& call, Arg comm, int source, int tag, std::uint64_t bytes, Arg request, bool persistent);
void record_send_receive(Call& call, Arg comm, int dest, int send_tag, std::uint64_t bytes, int source, int receive_tag,
                         const StatusRoom& status);
void record_start_send_receive(Call& call, Arg comm, int dest, int send_tag, std::uint64_t bytes, int source,
                               int receive_tag, std::uint64_t receive_bytes, Arg request);
void record_probe(Call& call, Arg comm, int source, bool found, const StatusRoom& status);
void record_matched_probe(Call& call, Arg comm, int source, const StatusRoom& status, Arg message);
void record_matched_receive(Call& call, const MatchedMessage& message, const StatusRoom& status);
void record_start_matched_receive(Call& call, const MatchedMessage& message, std::uint64_t bytes, Arg request);
void record_start(Call& call, Arg request);
void record_startall(Call& call, const Requests& requests);

// Completion. `done` says which of the requests the call completed.
void record_completion(Call& call, Arg request, bool done, const StatusRoom& status);
void record_completions(Call& call, const Requests& requests, bool done, const StatusRoom& statuses);
void record_any(Call& call, const Requests& requests, int index, const StatusRoom& status);
void record_some(Call& call, const Requests& requests, int count, Arg indices, const StatusRoom& statuses);

void record_collective(Call& call, Arg comm, int root, Volume volume);  // blocking
// `request` completes it: of MPI_Iallreduce, of MPI_Allreduce_init.
void record_collective_start(Call& call, Arg comm, int root, Volume volume, Arg request, bool persistent);
void start_persistent_collective(const Call& call, const Posted& posted);
void note_completed(Call& call, const Posted& posted);
void record_new_comm(Call& call, Arg parent, Arg new_comm);  // parent 0: none
void record_one_sided(Call& call, Arg window, int target, std::uint64_t bytes, bool transfers);
void record_fence(Call& call, Arg window);
void record_new_window(Call& call, Arg comm, Arg window);
void record_plain(Call& call, std::uint64_t bytes);

// What is done with a file of MPI-IO. `files_before`: the thread's files_in_mpi_ticks at the call's entry.
struct FileAccess {
    bool writes, collective;
    bool together;  // a collective one that does not return before it is done
    bool begins;    // counts: not the second half of one
};
void record_file_open(Call& call, Arg comm, Arg name, Arg file, std::uint64_t files_before);
void record_file_access(Call& call, Arg file, FileAccess access, std::uint64_t bytes, std::uint64_t files_before);
// Opening, closing and the like: all ranks do it that have opened the file together.
void record_file_change(Call& call, const SharedFile& file, std::uint64_t files_before);

// A call that all members of a communicator, or of a window's or a file's, make together.
void synchronise(Call& call, CommInfo& info, int root, Volume volume);

// The last step of each: the call into its cell, and as an event.
void add_to_cell(Call& call, std::uint16_t comm, std::int32_t peer, Volume volume);

inline std::uint32_t microseconds(std::uint64_t ns) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(ns / 1000, ~0U));
}

// What the thread did outside MPI since its event before, beside computing, in microseconds.
struct Before {
    std::uint32_t blocked, io, run_delay;
};
Before tell_what_was_before(ThreadState& thread, std::uint64_t sum);

// Nearly always nothing that is known: none of these figures, which only rise, has moved.
[[gnu::always_inline]] inline Before what_was_before(ThreadState& thread) {
    const ThreadCell& cell = *thread.cell;
    const std::uint64_t sum = cell.blocked_outside_ns + cell.io_ticks + cell.run_delay_ns;
    if (sum == thread.told.sum) [[likely]]
        return {0, 0, 0};
    return tell_what_was_before(thread, sum);
}

// Where it happened and with whom, and which of several it was.
struct Which {
    std::uint16_t comm;
    std::int32_t peer, tag;
    std::uint32_t sequence;
};
[[gnu::always_inline]] inline EventRecord event_of(const Call& call, EventKind kind, const Which& which,
                                                   std::uint64_t bytes) {
    const Before before = what_was_before(call.thread());
    return {call.function(),
            which.comm,
            which.peer,
            which.tag,
            which.sequence,
            call.since(),
            call.exit(),
            bytes,
            microseconds(call.run_delay_ns()),
            kind,
            0,
            before.blocked,
            before.io,
            before.run_delay,
            0};
}

// Sizes of the groups of a communicator that a collective's arrays run over.
std::uint64_t peers_of(Arg comm);
std::uint64_t locals_of(Arg comm);
bool is_root(Arg comm, int root);

template <class Count>
std::uint64_t sum_counts(Arg counts, std::uint64_t elements) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; counts != 0 && i < elements; ++i)
        sum += static_cast<std::uint64_t>(reinterpret_cast<const Count*>(counts)[i]);
    return sum;
}

template <class Count>
std::uint64_t sum_bytes(Arg counts, Arg types, std::uint64_t elements) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; counts != 0 && i < elements; ++i) {
        const auto count = static_cast<std::uint64_t>(reinterpret_cast<const Count*>(counts)[i]);
        if (count != 0) sum += count * type_bytes(handle_at(types, i));
    }
    return sum;
}

}  // namespace clearway::recorder
