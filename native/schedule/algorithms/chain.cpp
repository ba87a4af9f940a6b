// From each rank to the next, which passes on the whole vector when it has it; a reduce comes back the same way.
#include "schedule/algorithms.hpp"
#include "schedule/algorithms/vector.hpp"

namespace clearway::schedule::algorithm {

void write_chain_bcast(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Tree tree{ranks_of(problem), problem.root};
    const std::uint32_t own = tree.place(rank);
    if (own > 0) {
        program.enter_phase(own - 1);
        program.receive(tree.rank(own - 1), whole(problem, Buffer::receive));
    }
    if (own + 1 == tree.ranks) return;
    program.enter_phase(own);
    program.send(tree.rank(own + 1), whole(problem, own == 0 ? Buffer::send : Buffer::receive));
}

void write_chain_reduce(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Tree tree{ranks_of(problem), problem.root};
    const std::uint32_t own = tree.place(rank);
    const bool is_last = own + 1 == tree.ranks;
    if (is_last && own != 0) {
        program.send(tree.rank(own - 1), whole(problem, Buffer::send));
        return;
    }
    const Slots theirs = whole(problem, Buffer::scratch, program.reserve_scratch(is_last ? 0 : problem.blocks));
    const Slots work = own == 0 ? whole(problem, Buffer::receive)
                                : whole(problem, Buffer::scratch, program.reserve_scratch(problem.blocks));
    const std::uint32_t copied = program.copy(whole(problem, Buffer::send), work);
    if (is_last) return;
    program.enter_phase(tree.ranks - 2 - own);
    program.reduce(theirs, work, program.receive(tree.rank(own + 1), theirs), copied);
    if (own == 0) return;
    program.enter_phase(tree.ranks - 1 - own);
    program.send(tree.rank(own - 1), work);
}

}  // namespace clearway::schedule::algorithm
