// Recursive doubling allgather: in each phase pairs of ranks exchange all that they hold, over distances 1, 2, 4, …
// Where the rank count is no power of two, ranks 0, 2, … of the first 2 × rest ranks give their block to their odd
// neighbour beforehand and get everything from it afterwards (the remedy of Thakur et al. 2005).
#include <bit>
#include <vector>

#include "schedule/algorithms.hpp"

namespace clearway::schedule::algorithm {

namespace {

struct Core {
    std::uint32_t ranks;  // the largest power of two
    std::uint32_t rest;   // ranks beyond it; the first `rest` core ranks stand for two each
    std::uint32_t rank_of(std::uint32_t core) const { return core < rest ? 2 * core + 1 : core + rest; }
    std::uint32_t first_block_of(std::uint32_t core) const { return core < rest ? 2 * core : core + rest; }
};

Core core_of(std::uint32_t ranks) { return {std::bit_floor(ranks), ranks - std::bit_floor(ranks)}; }

// All that the cores of an aligned group hold together: neighbouring blocks.
Slots blocks_of_group(const Core& core, std::uint32_t member, std::uint32_t size) {
    const std::uint32_t first = core.first_block_of(member / size * size);
    return {Buffer::receive, first, core.first_block_of(member / size * size + size) - first};
}

void exchange_in_core(const Core& core, std::uint32_t member, std::uint32_t phase, std::uint32_t own,
                      ProgramBuilder& program) {
    for (std::uint32_t distance = 1; distance < core.ranks; distance *= 2, ++phase) {
        program.enter_phase(phase);
        const std::uint32_t peer = member ^ distance;
        const Slots held = blocks_of_group(core, member, distance);
        program.receive(core.rank_of(peer), blocks_of_group(core, peer, distance));
        program.send(core.rank_of(peer), std::span(&held, 1), own);
    }
}

// What the odd neighbour gives back: everything but the even rank's own block.
std::vector<Slots> all_but(std::uint32_t block, std::uint32_t ranks) {
    std::vector<Slots> runs{{Buffer::receive, block + 1, ranks - block - 1}};
    if (block != 0) runs.insert(runs.begin(), Slots{Buffer::receive, 0, block});
    return runs;
}

}  // namespace

std::uint32_t phases_of_recursive_doubling(const Problem& problem) {
    const Core core = core_of(ranks_of(problem));
    const auto doublings = static_cast<std::uint32_t>(std::countr_zero(core.ranks));
    if (core.rest != 0) return doublings + 2;
    return doublings != 0 ? doublings : 1;
}

void write_recursive_doubling(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const std::uint32_t ranks = ranks_of(problem);
    const Core core = core_of(ranks);
    const std::uint32_t own = program.copy_own_block();
    const std::uint32_t last_phase = phases_of_recursive_doubling(problem) - 1;
    if (rank >= 2 * core.rest) return exchange_in_core(core, rank - core.rest, core.rest != 0 ? 1 : 0, own, program);
    if (rank % 2 == 0) {
        program.send(rank + 1, outgoing(problem, rank + 1));
        program.enter_phase(last_phase);
        program.receive(rank + 1, all_but(rank, ranks));
    } else {
        program.receive(rank - 1, incoming(rank - 1));
        exchange_in_core(core, rank / 2, 1, own, program);
        program.enter_phase(last_phase);
        program.send(rank - 1, all_but(rank - 1, ranks));
    }
}

}  // namespace clearway::schedule::algorithm
