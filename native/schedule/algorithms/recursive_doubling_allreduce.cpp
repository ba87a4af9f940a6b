// Recursive doubling allreduce: in each phase pairs exchange what they have reduced, over distances 1, 2, 4, … Where
// the rank count is no power of two, others stand in for the ranks beyond it (Thakur et al. 2005).
#include "schedule/algorithms.hpp"
#include "schedule/algorithms/vector.hpp"

namespace clearway::schedule::algorithm {

std::uint32_t phases_of_recursive_doubling_allreduce(const Problem& problem) {
    const Folded folded(ranks_of(problem));
    return std::max(1U, static_cast<std::uint32_t>(std::countr_zero(folded.size)) + 2 * folded.phases());
}

void write_recursive_doubling_allreduce(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Folded folded(ranks_of(problem));
    const Slots work = whole(problem, Buffer::receive);
    if (folded.takes_part(rank)) {
        const bool has_peers = folded.size > 1 || folded.pairs > 0;
        const std::uint32_t spare = program.reserve_scratch(has_peers ? problem.blocks : 0);
        const std::uint32_t own = fold(problem, folded, rank, work, spare, program);
        std::uint32_t phase = folded.phases();
        for (std::uint32_t mask = 1; mask < folded.size; mask *= 2, ++phase) {
            program.enter_phase(phase);
            const std::uint32_t peer = folded.rank(folded.place(rank) ^ mask);
            const Slots theirs = whole(problem, Buffer::scratch, spare);
            const std::uint32_t received = program.receive(peer, theirs);
            const std::uint32_t sent = program.send(peer, std::span(&work, 1), own);
            program.reduce(theirs, work, received, sent);
        }
    } else {
        fold(problem, folded, rank, work, 0, program);
    }
    unfold(problem, folded, rank, phases_of_recursive_doubling_allreduce(problem) - 1, program);
}

}  // namespace clearway::schedule::algorithm
