// Bruck's concatenation algorithm (Bruck et al. 1997): in phase k each rank passes all that it holds, its own block and
// those of the next 2^k − 1 ranks, 2^k ranks back. Slots of the receive buffer may wrap around its end, so each block
// goes straight to its place, and the original's final rotation is not needed.
#include <algorithm>
#include <vector>

#include "schedule/algorithms.hpp"

namespace clearway::schedule::algorithm {

namespace {

std::vector<Slots> blocks_from(std::uint32_t first, std::uint32_t count, std::uint32_t ranks) {
    const std::uint32_t until_end = std::min(count, ranks - first);
    std::vector<Slots> runs{{Buffer::receive, first, until_end}};
    if (count > until_end) runs.push_back({Buffer::receive, 0, count - until_end});
    return runs;
}

}  // namespace

void write_bruck_allgather(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const std::uint32_t ranks = ranks_of(problem);
    const std::uint32_t own = program.copy_own_block();
    std::uint32_t phase = 0;
    for (std::uint32_t held = 1; held < ranks; held *= 2, ++phase) {
        program.enter_phase(phase);
        const std::uint32_t moving = std::min(held, ranks - held);
        const std::uint32_t source = (rank + held) % ranks;
        program.receive(source, blocks_from(source, moving, ranks));
        program.send((rank + ranks - held) % ranks, blocks_from(rank, moving, ranks), own);
    }
}

}  // namespace clearway::schedule::algorithm
