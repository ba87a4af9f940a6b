// Runs all Programs on symbols, each step as early as it may start, and sees whether all of them end.
//
// Starting early is no weakness of the proof: a step that has started keeps no other from starting, so whatever ends
// in some order of events also ends in this one, and what does not end here ends in none.
#include <vector>

#include "schedule/check/contents.hpp"
#include "schedule/check/gate.hpp"
#include "schedule/check/parts.hpp"

namespace clearway::schedule {

namespace {

class SymbolicRun {
public:
    SymbolicRun(const Schedule& schedule, const std::vector<Message>& messages, Findings& findings)
        : schedule_(schedule), findings_(findings), gate_(schedule), contents_(schedule, findings) {
        states_.reserve(schedule.programs.size());
        for (const Program& program : schedule.programs) states_.emplace_back(program);
        for (const Message& message : messages) {
            states_[message.send.rank].steps[message.send.index].partner = message.receive.index;
            states_[message.receive.rank].steps[message.receive.index].partner = message.send.index;
        }
    }

    void run() {
        for (std::uint32_t rank = 0; rank < states_.size(); ++rank)
            for (std::uint32_t index = 0; index < states_[rank].steps.size(); ++index)
                if (states_[rank].steps[index].waits_for == 0) ready_.push_back({rank, index});
        while (!ready_.empty()) {
            const StepId id = ready_.back();
            ready_.pop_back();
            if (state_of(id).admitted || gate_.pass(id)) start(id);
        }
        if (tell_what_hangs()) return;  // what has not arrived then is no second fault
        contents_.compare_with_promise();
    }

private:
    static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

    struct StepState {
        std::uint32_t waits_for = 0;      // steps of `after` that have not ended
        std::uint32_t partner = kNobody;  // the other end of the message, on the peer
        bool admitted = false;            // the gate let it pass
        bool started = false;
        bool ended = false;
    };

    struct ProgramState {
        std::vector<StepState> steps;
        std::vector<std::uint32_t> first_follower;  // into `followers`, by step; one element more than steps
        std::vector<std::uint32_t> followers;       // steps that wait for a step

        explicit ProgramState(const Program& program)
            : steps(program.steps.size()), first_follower(program.steps.size() + 2), followers(0) {
            std::size_t edges = 0;
            for (const Step& step : program.steps) {
                for (std::uint32_t i = 0; i < step.after.count; ++i)
                    ++first_follower[program.after[step.after.first + i] + 2];
                edges += step.after.count;
            }
            followers.resize(edges);
            for (std::size_t i = 2; i < first_follower.size(); ++i) first_follower[i] += first_follower[i - 1];
            for (std::uint32_t index = 0; index < program.steps.size(); ++index) {
                const Range after = program.steps[index].after;
                steps[index].waits_for = after.count;
                for (std::uint32_t i = 0; i < after.count; ++i)
                    followers[first_follower[program.after[after.first + i] + 1]++] = index;
            }
        }
    };

    StepState& state_of(StepId id) { return states_[id.rank].steps[id.index]; }

    void start(StepId id) {
        StepState& state = state_of(id);
        state.started = true;
        const Step& step = step_at(schedule_, id);
        if (step.action == Action::copy) contents_.move(id, id);
        if (step.action == Action::reduce) contents_.reduce(id);
        if (step.action != Action::send && step.action != Action::receive) return end(id);
        if (state.partner == kNobody) return;
        const StepId other{step.peer, state.partner};
        if (!state_of(other).started) return;
        const bool sends = step.action == Action::send;
        contents_.move(sends ? id : other, sends ? other : id);
        end(id);
        end(other);
    }

    void end(StepId id) {
        state_of(id).ended = true;
        ProgramState& program = states_[id.rank];
        for (std::uint32_t i = program.first_follower[id.index]; i < program.first_follower[id.index + 1]; ++i)
            if (--program.steps[program.followers[i]].waits_for == 0) ready_.push_back({id.rank, program.followers[i]});
        released_.clear();
        gate_.end(id, released_);
        for (const StepId released : released_) {
            state_of(released).admitted = true;
            ready_.push_back(released);
        }
    }

    bool tell_what_hangs() {
        bool hangs = false;
        for (std::uint32_t rank = 0; rank < states_.size(); ++rank)
            for (std::uint32_t index = 0; index < states_[rank].steps.size(); ++index) {
                const StepState& state = states_[rank].steps[index];
                if (state.ended) continue;
                hangs = true;
                // Those that wait for other steps of their rank are not the cause.
                if (state.waits_for != 0) continue;
                findings_.add(Fault::deadlock, [&] {
                    return words_of(schedule_, {rank, index}) +
                           (state.started ? " begins, but its other end never does"
                                          : " is never let through by the gate before its phase");
                });
            }
        return hangs;
    }

    const Schedule& schedule_;
    Findings& findings_;
    GateKeeper gate_;
    Contents contents_;
    std::vector<ProgramState> states_;
    std::vector<StepId> ready_;
    std::vector<StepId> released_;
};

}  // namespace

void check_run(const Schedule& schedule, const std::vector<Message>& messages, Findings& findings) {
    SymbolicRun(schedule, messages, findings).run();
}

}  // namespace clearway::schedule
