// All at once: every message is under way from the beginning, and nothing says in which order they reach a receiver.
// A rank begins with its neighbour, as MPICH does for messages of middle size.
#include "schedule/algorithms.hpp"

namespace clearway::schedule::algorithm {

void write_direct(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const std::uint32_t ranks = ranks_of(problem);
    program.copy_own_block();
    for (std::uint32_t i = 1; i < ranks; ++i) {
        const std::uint32_t source = (rank + ranks - i) % ranks;
        program.receive(source, incoming(source));
    }
    for (std::uint32_t i = 1; i < ranks; ++i) {
        const std::uint32_t destination = (rank + i) % ranks;
        program.send(destination, outgoing(problem, destination));
    }
}

}  // namespace clearway::schedule::algorithm
