// Runs all Programs on symbols, by the engine that runs them in a job, and sees whether all of them end.
//
// One run stands for all: nothing that happens keeps anything else from happening, so whatever ends in some order of
// events also ends in this one, and what does not end here ends in none. Every message is of one byte here, which is
// the strictest: no window lets a rank go on before its messages are whole, and no empty message does without its end.
#include <algorithm>
#include <deque>
#include <vector>

#include "schedule/check/contents.hpp"
#include "schedule/check/parts.hpp"
#include "schedule/engine/step_engine.hpp"

namespace clearway::schedule {

namespace {

class SymbolicRun {
public:
    SymbolicRun(const Schedule& schedule, const std::vector<Message>& messages, Findings& findings);
    void run();

private:
    enum class State : std::uint8_t { waits, has_begun, has_ended };
    struct StepState {
        State state = State::waits;
        std::uint32_t partner = kNoStep;  // the other end of the message, on the peer
    };

    class Rank : public StepEngine<Rank> {
    public:
        Rank(SymbolicRun& all, std::uint32_t rank)
            : StepEngine(all.schedule_.programs[rank], all.orders_[rank], all.separation_, 1), all_(all), rank_(rank) {
            restart();
        }

    private:
        friend class StepEngine<Rank>;

        std::uint64_t bytes_of(std::uint32_t /*step*/) const { return 1; }
        void send(std::uint32_t step, std::uint32_t, std::uint32_t) { all_.begin_message({rank_, step}); }
        void receive(std::uint32_t step, std::uint32_t, std::uint32_t) { all_.begin_message({rank_, step}); }
        void close(std::uint32_t step) { all_.at({rank_, step}).state = State::has_ended; }
        void do_local(std::uint32_t step) { all_.do_local({rank_, step}); }
        void give_credit(std::uint32_t /*step*/) {}  // a message of one chunk needs none
        // One that the peer does not expect is check_leaves' to find.
        void give_leave(const Leave& leave) {
            const Leave theirs{leave.phase, rank_};
            if (!std::ranges::binary_search(all_.schedule_.programs[leave.peer].needs, theirs)) return;
            all_.ranks_[leave.peer].leave_given(leave.phase);
            all_.wake(leave.peer);
        }
        bool pass_barrier() {
            if (barriers_passed_ == barriers_reached_) {
                ++barriers_reached_;
                all_.come_to_barrier();
            }
            if (all_.barriers_over_ < barriers_reached_) return false;
            barriers_passed_ = barriers_reached_;
            return true;
        }

        SymbolicRun& all_;
        const std::uint32_t rank_;
        std::uint32_t barriers_reached_ = 0, barriers_passed_ = 0;
    };

    StepState& at(StepId id) { return states_[id.rank][id.index]; }
    void wake(std::uint32_t rank);
    void begin_message(StepId id);
    void do_local(StepId id);
    void come_to_barrier();
    bool waits_for_others(StepId id);
    bool tell_what_hangs(std::uint32_t rank);

    const Schedule& schedule_;
    Findings& findings_;
    const Separation separation_;
    Contents contents_;
    std::vector<std::vector<StepState>> states_;  // by rank and step
    std::vector<StepOrder> orders_;               // by rank
    std::deque<Rank> ranks_;
    std::vector<std::uint32_t> awake_;  // ranks that may have something to do
    std::vector<bool> is_awake_;
    std::uint32_t at_barrier_ = 0;     // ranks
    std::uint32_t barriers_over_ = 0;  // all ranks came to them
};

SymbolicRun::SymbolicRun(const Schedule& schedule, const std::vector<Message>& messages, Findings& findings)
    : schedule_(schedule),
      findings_(findings),
      separation_{.gate = schedule.separation.gate},
      contents_(schedule, findings),
      is_awake_(schedule.programs.size(), false) {
    for (const Program& program : schedule.programs) {
        states_.emplace_back(program.steps.size());
        orders_.push_back(order_of(program, schedule.phases));
    }
    for (std::uint32_t rank = 0; rank < states_.size(); ++rank) {
        ranks_.emplace_back(*this, rank);
        wake(rank);
    }
    for (const Message& message : messages) {
        at(message.send).partner = message.receive.index;
        at(message.receive).partner = message.send.index;
    }
}

void SymbolicRun::run() {
    while (!awake_.empty()) {
        const std::uint32_t rank = awake_.back();
        awake_.pop_back();
        is_awake_[rank] = false;
        ranks_[rank].go_on();
    }
    bool hangs = false;
    for (std::uint32_t rank = 0; rank < states_.size(); ++rank) hangs |= tell_what_hangs(rank);
    if (!hangs) contents_.compare_with_promise();  // else what has not arrived is no second fault
}

void SymbolicRun::wake(std::uint32_t rank) {
    if (is_awake_[rank]) return;
    is_awake_[rank] = true;
    awake_.push_back(rank);
}

void SymbolicRun::begin_message(StepId id) {
    at(id).state = State::has_begun;
    if (at(id).partner == kNoStep) return;
    const Step& step = step_at(schedule_, id);
    const StepId other{step.peer, at(id).partner};
    if (at(other).state == State::waits) return;
    const Message message = step.action == Action::send ? Message{id, other} : Message{other, id};
    contents_.move(message.send, message.receive);
    ranks_[message.send.rank].sent(message.send.index, 1);
    ranks_[message.receive.rank].received(message.receive.index, 1);
    wake(other.rank);
}

void SymbolicRun::do_local(StepId id) {
    const Action action = step_at(schedule_, id).action;
    if (action == Action::copy) contents_.move(id, id);
    if (action == Action::reduce) contents_.reduce(id);
    at(id).state = State::has_ended;
}

void SymbolicRun::come_to_barrier() {
    if (++at_barrier_ < ranks_.size()) return;
    at_barrier_ = 0;
    ++barriers_over_;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) wake(rank);
}

bool SymbolicRun::waits_for_others(StepId id) {
    const Range after = step_at(schedule_, id).after;
    const std::vector<std::uint32_t>& all = schedule_.programs[id.rank].after;
    const auto has_ended = [&](std::uint32_t step) { return at({id.rank, step}).state == State::has_ended; };
    return !std::all_of(all.begin() + after.first, all.begin() + after.first + after.count, has_ended);
}

// Steps that wait for others of their rank are not the cause: for those in `after`, of a phase before, or with the same
// peer.
bool SymbolicRun::tell_what_hangs(std::uint32_t rank) {
    const std::vector<StepState>& steps = states_[rank];
    std::vector<bool> is_behind(steps.size(), false);
    std::uint32_t first = kNoStep;
    for (std::uint32_t index = 0; index < steps.size(); ++index) {
        const StepId id{rank, index};
        if (steps[index].state == State::has_ended) continue;
        if (first == kNoStep) first = index;
        if (const std::uint32_t next = orders_[rank].next_with_same_peer[index]; next != kNoStep)
            is_behind[next] = true;
        const bool is_later = step_at(schedule_, {rank, first}).phase < step_at(schedule_, id).phase;
        if (is_behind[index] || is_later || waits_for_others(id)) continue;
        findings_.add(Fault::deadlock, [&] {
            return words_of(schedule_, id) + (steps[index].state == State::has_begun
                                                  ? " begins, but its other end never does"
                                                  : " is never let through by the gate before its phase");
        });
    }
    return first != kNoStep;
}

}  // namespace

void check_run(const Schedule& schedule, const std::vector<Message>& messages, Findings& findings) {
    SymbolicRun(schedule, messages, findings).run();
}

}  // namespace clearway::schedule
