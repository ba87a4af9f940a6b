// Pairwise exchange: in each phase the ranks form pairs that exchange (pairing.hpp). An odd rank count needs one phase
// more, with another rank idle in each.
#include <algorithm>

#include "schedule/algorithms.hpp"
#include "schedule/pairing.hpp"

namespace clearway::schedule::algorithm {

std::uint32_t phases_of_pairwise(const Problem& problem) { return std::max(1U, rounds_of_pairs(ranks_of(problem))); }

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
