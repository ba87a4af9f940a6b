// LAM/MPI's all-to-all: all at once, and every rank writes to rank 0 first, then to rank 1, ... So all ranks hit the
// same receiver at the same time, and its switch port overflows at (N−1) × S > buffer. Kept to show just that.
#include "schedule/algorithms.hpp"

namespace clearway::schedule::algorithm {

void write_lam(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const std::uint32_t ranks = ranks_of(problem);
    program.copy_own_block();
    for (std::uint32_t source = 0; source < ranks; ++source)
        if (source != rank) program.receive(source, incoming(source));
    for (std::uint32_t destination = 0; destination < ranks; ++destination)
        if (destination != rank) program.send(destination, outgoing(problem, destination));
}

}  // namespace clearway::schedule::algorithm
