// The root exchanges whole vectors with every rank itself, all at once; in a barrier rank 0 hears of all, and tells
// all.
#include "schedule/algorithms.hpp"
#include "schedule/algorithms/vector.hpp"

namespace clearway::schedule::algorithm {

namespace {

void send_to_all(const Problem& problem, std::uint32_t rank, Buffer buffer, ProgramBuilder& program) {
    const Tree tree{ranks_of(problem), problem.root};
    if (rank != problem.root) {
        program.receive(problem.root, whole(problem, Buffer::receive));
        return;
    }
    for (std::uint32_t place = 1; place < tree.ranks; ++place) program.send(tree.rank(place), whole(problem, buffer));
}

void reduce_from_all(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Tree tree{ranks_of(problem), problem.root};
    if (rank != problem.root) {
        program.send(problem.root, whole(problem, Buffer::send));
        return;
    }
    const Slots work = whole(problem, Buffer::receive);
    std::uint32_t before = program.copy(whole(problem, Buffer::send), work);
    for (std::uint32_t place = 1; place < tree.ranks; ++place) {
        const Slots theirs = whole(problem, Buffer::scratch, program.reserve_scratch(problem.blocks));
        before = program.reduce(theirs, work, program.receive(tree.rank(place), theirs), before);
    }
}

}  // namespace

std::uint32_t phases_of_linear(const Problem& problem) {
    return problem.operation == Operation::barrier && ranks_of(problem) > 1 ? 2 : 1;
}

void write_linear(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    if (problem.operation == Operation::bcast) {
        send_to_all(problem, rank, Buffer::send, program);
        return;
    }
    reduce_from_all(problem, rank, program);
    if (problem.operation == Operation::reduce) return;
    program.enter_phase(1);
    send_to_all(problem, rank, Buffer::receive, program);
}

}  // namespace clearway::schedule::algorithm
