#include "simulator/mpi/runnables.hpp"

#include <algorithm>
#include <utility>

#include "schedule/algorithms.hpp"

namespace clearway::simulator {

namespace {

using schedule::Program;
using schedule::Range;
using schedule::Slots;
using schedule::Step;

bool are_equal(const Range& a, const Range& b) { return a.first == b.first && a.count == b.count; }

// In the operations on vectors ranks have the receives of the next phase posted already, whatever else their memory is
// for. MPIs that post them later would lose less where a large reduction jams; the figures of docs/reproduce.md are
// nearer to the published ones with this.
void post_early(Runnable& runnable) {
    for (std::size_t i = 0; i < runnable.program.steps.size(); ++i)
        runnable.order.may_be_early[i] = runnable.program.steps[i].action == schedule::Action::receive;
}

// Whom rank 0 tells in a barrier, in the order of its rounds. The others tell those as much further.
std::vector<std::uint32_t> told_by_first(const schedule::Placement& placement) {
    const schedule::Algorithm& algorithm = *schedule::find_algorithm("dissemination");
    const Program first =
        make_program(algorithm, vector_problem(algorithm, schedule::Operation::barrier, placement, 1), 0);
    std::vector<std::uint32_t> told;
    for (const Step& step : first.steps)
        if (step.action == schedule::Action::send) told.push_back(step.peer);
    return told;
}

}  // namespace

bool is_turned(const schedule::Problem& problem, const Program& first, const Program& program, const Turn& turn) {
    const std::uint32_t ranks = schedule::ranks_of(problem);
    const auto step_is = [&](const Step& a, const Step& b) {
        const bool has_peer = a.peer != schedule::kNoPeer && b.peer != schedule::kNoPeer;
        return a.action == b.action && a.phase == b.phase && are_equal(a.reads, b.reads) &&
               are_equal(a.writes, b.writes) && are_equal(a.after, b.after) &&
               (has_peer ? turned(a.peer, turn, ranks) == b.peer : a.peer == b.peer);
    };
    // Scratch, what an allgather sends, and the blocks of a vector have the same numbers everywhere.
    const auto slots_are = [&](const Slots& a, const Slots& b) {
        const bool is_by_rank = !schedule::is_on_vector(problem.operation) &&
                                (a.buffer == schedule::Buffer::receive ||
                                 (a.buffer == schedule::Buffer::send && !schedule::is_allgather(problem.operation)));
        return a.buffer == b.buffer && a.count == b.count &&
               (is_by_rank ? turned(a.first, turn, ranks) : a.first) == b.first;
    };
    return std::ranges::equal(first.steps, program.steps, step_is) &&
           std::ranges::equal(first.slots, program.slots, slots_are) && first.after == program.after;
}

Runnables::Runnables(const schedule::Problem& problem, const schedule::Candidate& candidate)
    : barrier_(told_by_first(problem.placement)) {
    const schedule::Algorithm& algorithm = *candidate.algorithm;
    const std::uint32_t ranks = schedule::ranks_of(problem);
    const std::uint32_t phases = algorithm.phases(problem);
    const Program first = make_program(algorithm, problem, 0);
    // Leaves are given in the order of their peers, which differs where numbers wrap.
    const bool may_share = problem.block_bytes.size() == 1 && candidate.separation.gate != schedule::Gate::token;
    const auto add = [&](Program program) {
        runnables_.push_back(make_runnable(problem, std::move(program), phases, candidate.separation));
        runnables_.back().barrier = &barrier_;
        if (schedule::is_on_vector(problem.operation)) post_early(runnables_.back());
        return &runnables_.back();
    };
    programs_.push_back({add(first), 0, {}});
    for (std::uint32_t rank = 1; rank < ranks; ++rank) {
        Program program = make_program(algorithm, problem, rank);
        const Turn* turn = nullptr;
        const Turn turns[] = {{rank, Turn::Kind::further}, {rank, Turn::Kind::pairs}, {rank, Turn::Kind::without_own}};
        for (const Turn& each : turns)
            if (turn == nullptr && may_share && is_turned(problem, first, program, each)) turn = &each;
        programs_.push_back(turn != nullptr ? RankProgram{programs_[0].runnable, rank, *turn}
                                            : RankProgram{add(std::move(program)), rank, {}});
    }
}

}  // namespace clearway::simulator
