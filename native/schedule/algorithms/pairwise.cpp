// Pairwise exchange: in each phase the ranks form pairs that exchange. For powers of two the pairs are r, r XOR phase
// (MPICH's choice for long messages); else they come from a 1-factorisation of the complete graph, the circle method
// of tournaments: an odd rank count needs one phase more, with another rank idle in each.
#include <bit>

#include "schedule/algorithms.hpp"

namespace clearway::schedule::algorithm {

namespace {

// Players 0 … m−1 (m odd) stand on a circle; in round i those whose numbers add up to i (mod m) meet. The one left
// over, 2x = i (mod m), is idle, or meets the player in the centre.
std::uint32_t opponent_on_circle(std::uint32_t player, std::uint32_t round, std::uint32_t players) {
    return (round % players + players - player) % players;
}

std::uint32_t partner(std::uint32_t rank, std::uint32_t phase, std::uint32_t ranks) {
    if (ranks % 2 != 0) return opponent_on_circle(rank, phase, ranks);
    if (std::has_single_bit(ranks)) return rank ^ (phase + 1);
    const std::uint32_t circle = ranks - 1;
    const auto left_over = static_cast<std::uint32_t>(std::uint64_t{phase} * (ranks / 2) % circle);
    if (rank == circle) return left_over;  // the centre
    return rank == left_over ? circle : opponent_on_circle(rank, phase, circle);
}

}  // namespace

std::uint32_t phases_of_pairwise(const Problem& problem) {
    const std::uint32_t ranks = ranks_of(problem);
    return ranks % 2 == 0 ? ranks - 1 : ranks;
}

void write_pairwise(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    program.copy_own_block();
    for (std::uint32_t phase = 0; phase < phases_of_pairwise(problem); ++phase) {
        program.enter_phase(phase);
        const std::uint32_t peer = partner(rank, phase, ranks_of(problem));
        if (peer == rank) continue;
        program.receive(peer, incoming(peer));
        program.send(peer, outgoing(problem, peer));
    }
}

}  // namespace clearway::schedule::algorithm
