// A long bcast (Thakur et al. 2005): the vector goes down a binomial tree in parts, to each rank those of its branch,
// and all parts then go round in a ring. As in the MPIs, every part goes all the way round, also to those that have it
// from the tree.
#include "schedule/algorithms.hpp"
#include "schedule/algorithms/vector.hpp"

namespace clearway::schedule::algorithm {

namespace {

// The places whose parts a place has from the tree.
std::uint32_t parts_held(const Tree& tree, std::uint32_t place) {
    const std::uint32_t mask = place == 0 ? tree.ranks : std::uint32_t{1} << std::countr_zero(place);
    return tree.branch(place, mask);
}

void scatter(const Problem& problem, const Tree& tree, std::uint32_t own, ProgramBuilder& program) {
    const auto branch = [&](std::uint32_t place, std::uint32_t mask) {
        return blocks_of_parts(problem, place, tree.branch(place, mask), tree.ranks);
    };
    std::uint32_t phase = 0;
    for (std::uint32_t mask = tree.highest(); mask > 0; mask /= 2, ++phase) {
        program.enter_phase(phase);
        if (own % (2 * mask) == mask) {
            program.receive(tree.rank(own - mask), branch(own, mask).in(Buffer::receive));
        } else if (own % (2 * mask) == 0 && own + mask < tree.ranks) {
            const Buffer buffer = own == 0 ? Buffer::send : Buffer::receive;
            program.send(tree.rank(own + mask), branch(own + mask, mask).in(buffer));
        }
    }
}

}  // namespace

std::uint32_t phases_of_scatter_ring(const Problem& problem) {
    const std::uint32_t ranks = ranks_of(problem);
    return std::max(1U, static_cast<std::uint32_t>(std::bit_width(ranks - 1)) + ranks - 1);
}

void write_scatter_ring(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Tree tree{ranks_of(problem), problem.root};
    const std::uint32_t own = tree.place(rank);
    scatter(problem, tree, own, program);
    const std::uint32_t held = parts_held(tree, own);
    const std::uint32_t wasted = program.reserve_scratch(held > 1 ? problem.blocks : 0);
    const auto first_phase = static_cast<std::uint32_t>(std::bit_width(tree.ranks - 1));
    for (std::uint32_t i = 1; i < tree.ranks; ++i) {
        program.enter_phase(first_phase + i - 1);
        const auto blocks = [&](std::uint32_t back) {
            return blocks_of_parts(problem, (own + tree.ranks - back) % tree.ranks, 1, tree.ranks);
        };
        const bool has_it = (tree.ranks - i) < held;
        program.receive(tree.rank(own + tree.ranks - 1),
                        has_it ? blocks(i).in(Buffer::scratch, wasted) : blocks(i).in(Buffer::receive));
        program.send(tree.rank(own + 1), blocks(i - 1).in(own == 0 ? Buffer::send : Buffer::receive));
    }
}

}  // namespace clearway::schedule::algorithm
