// Reductions in a ring that follows the hosts, so that each port carries one message in each direction: part by part
// goes round, and each rank adds its own (Patarasuk and Yuan 2009). An allreduce then lets the parts go round again.
#include "schedule/algorithms.hpp"
#include "schedule/algorithms/vector.hpp"

namespace clearway::schedule::algorithm {

namespace {

class Ring {
public:
    Ring(const Problem& problem, std::uint32_t rank)
        : problem_(problem), ranks_(ranks_of(problem)), place_(problem.placement.place_of_rank[rank]) {}

    std::uint32_t ranks() const { return ranks_; }
    std::uint32_t rank_before(std::uint32_t steps) const {
        return problem_.placement.ranks_by_host[(place_ + ranks_ - steps) % ranks_];
    }
    std::uint32_t next() const { return problem_.placement.ranks_by_host[(place_ + 1) % ranks_]; }
    // The part that the rank so many steps before ends with.
    Blocks part_of(std::uint32_t steps) const {
        const std::uint32_t place = (place_ + 2 * ranks_ - steps) % ranks_;
        if (problem_.operation != Operation::reduce_scatter) return blocks_of_parts(problem_, place, 1, ranks_);
        const std::uint32_t block = problem_.placement.ranks_by_host[place];
        return {block, block + 1};
    }

private:
    const Problem& problem_;
    std::uint32_t ranks_, place_;
};

}  // namespace

std::uint32_t phases_of_ring_reduction(const Problem& problem) {
    const std::uint32_t once = ranks_of(problem) - 1;
    return std::max(1U, problem.operation == Operation::allreduce ? 2 * once : once);
}

void write_ring_reduction(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Ring ring(problem, rank);
    const bool is_for_all = problem.operation == Operation::allreduce;
    const bool is_alone = ring.ranks() == 1;
    const std::uint32_t scratch = program.reserve_scratch(is_for_all || is_alone ? 0 : problem.blocks);
    // Where a part stands as it comes by: of a reduce_scatter the receive buffer has room for the last one alone.
    const auto place_of = [&](std::uint32_t steps) {
        if (is_for_all) return ring.part_of(steps).in(Buffer::receive);
        return steps == ring.ranks() ? Slots{Buffer::receive, 0, 1} : ring.part_of(steps).in(Buffer::scratch, scratch);
    };
    if (is_alone) program.copy(ring.part_of(0).in(Buffer::send), place_of(1));
    for (std::uint32_t i = 1; i < ring.ranks(); ++i) {
        program.enter_phase(i - 1);
        const std::uint32_t received = program.receive(ring.rank_before(1), place_of(i + 1));
        program.send(ring.next(), i == 1 ? ring.part_of(1).in(Buffer::send) : place_of(i));
        program.reduce(ring.part_of(i + 1).in(Buffer::send), place_of(i + 1), received);
    }
    for (std::uint32_t i = 1; is_for_all && i < ring.ranks(); ++i) {
        program.enter_phase(ring.ranks() - 2 + i);
        program.receive(ring.rank_before(1), ring.part_of(i).in(Buffer::receive));
        program.send(ring.next(), ring.part_of(i - 1).in(Buffer::receive));
    }
}

}  // namespace clearway::schedule::algorithm
