// A binomial tree: down from the root, the far half first, and up to it the other way round.
#include "schedule/algorithms.hpp"
#include "schedule/algorithms/vector.hpp"

namespace clearway::schedule::algorithm {

void write_binomial_bcast(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Tree tree{ranks_of(problem), problem.root};
    const std::uint32_t own = tree.place(rank);
    std::uint32_t phase = 0;
    for (std::uint32_t mask = tree.highest(); mask > 0; mask /= 2, ++phase) {
        program.enter_phase(phase);
        if (own % (2 * mask) == mask) {
            program.receive(tree.rank(own - mask), whole(problem, Buffer::receive));
        } else if (own % (2 * mask) == 0 && own + mask < tree.ranks) {
            program.send(tree.rank(own + mask), whole(problem, own == 0 ? Buffer::send : Buffer::receive));
        }
    }
}

void write_binomial_reduce(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Tree tree{ranks_of(problem), problem.root};
    const std::uint32_t own = tree.place(rank);
    const bool has_children = own % 2 == 0 && own + 1 < tree.ranks;
    if (own != 0 && !has_children) {
        program.enter_phase(static_cast<std::uint32_t>(std::countr_zero(own)));
        program.send(tree.rank(own & (own - 1)), whole(problem, Buffer::send));
        return;
    }
    const Slots theirs = whole(problem, Buffer::scratch, program.reserve_scratch(has_children ? problem.blocks : 0));
    const Slots work = own == 0 ? whole(problem, Buffer::receive)
                                : whole(problem, Buffer::scratch, program.reserve_scratch(problem.blocks));
    const std::uint32_t copied = program.copy(whole(problem, Buffer::send), work);
    std::uint32_t phase = 0;
    for (std::uint32_t mask = 1; mask < tree.ranks; mask *= 2, ++phase) {
        program.enter_phase(phase);
        if (own % (2 * mask) == mask) {
            program.send(tree.rank(own - mask), work);
            return;
        }
        if (own + mask < tree.ranks)
            program.reduce(theirs, work, program.receive(tree.rank(own + mask), theirs), copied);
    }
}

}  // namespace clearway::schedule::algorithm
