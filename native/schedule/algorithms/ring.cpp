// Ring allgather: in each phase a rank passes on to the next what it got in the phase before. The ring follows the
// hosts, so of the ranks on a host one sends out of it and one receives into it, however many there are.
#include "schedule/algorithms.hpp"

namespace clearway::schedule::algorithm {

void write_ring(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Placement& placement = problem.placement;
    const std::uint32_t ranks = ranks_of(problem);
    const std::uint32_t place = placement.place_of_rank[rank];
    const auto rank_before = [&](std::uint32_t steps) {
        return placement.ranks_by_host[(place + ranks - steps) % ranks];
    };
    const std::uint32_t next = placement.ranks_by_host[(place + 1) % ranks];
    const std::uint32_t own = program.copy_own_block();
    for (std::uint32_t i = 1; i < ranks; ++i) {
        program.enter_phase(i - 1);
        const Slots passed_on = incoming(rank_before(i - 1));
        program.receive(rank_before(1), incoming(rank_before(i)));
        program.send(next, std::span(&passed_on, 1), own);
    }
}

}  // namespace clearway::schedule::algorithm
