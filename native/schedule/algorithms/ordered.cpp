// Ordered exchange (Kutzner et al. 2007, Figs. 5 and 6): in phase i each rank sends to the i-th next rank and receives
// from the i-th before it, so with one rank on each host every link carries one message in each direction.
#include "schedule/algorithms.hpp"

namespace clearway::schedule::algorithm {

void write_ordered(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const std::uint32_t ranks = ranks_of(problem);
    program.copy_own_block();
    for (std::uint32_t i = 1; i < ranks; ++i) {
        program.enter_phase(i - 1);
        const std::uint32_t source = (rank + ranks - i) % ranks;
        const std::uint32_t destination = (rank + i) % ranks;
        program.receive(source, incoming(source));
        program.send(destination, outgoing(problem, destination));
    }
}

}  // namespace clearway::schedule::algorithm
