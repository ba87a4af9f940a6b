// Rabenseifner 2004: pairs halve the vector, over distances 1, 2, 4, …, until each rank has reduced one part of it;
// then the parts are gathered the same way back, everywhere or toward the root alone. Where the rank count is no power
// of two, others stand in for the ranks beyond it.
#include "schedule/algorithms.hpp"
#include "schedule/algorithms/vector.hpp"

namespace clearway::schedule::algorithm {

namespace {

std::uint32_t doublings(const Folded& folded) { return static_cast<std::uint32_t>(std::countr_zero(folded.size)); }

// What a place still reduces after the exchange over distance `mask`; of 0: the whole vector.
Blocks left_to(const Problem& problem, std::uint32_t place, std::uint32_t mask) {
    Blocks left{0, problem.blocks};
    for (std::uint32_t each = 1; each <= mask; each *= 2) {
        const std::uint32_t middle = left.begin + (left.end - left.begin) / 2;
        ((place & each) != 0 ? left.begin : left.end) = middle;
    }
    return left;
}

struct Part {
    const Problem& problem;
    const Folded& folded;
    std::uint32_t place;
    Slots work, spare;
    std::uint32_t own;  // the step that put the rank's vector into `work`

    std::uint32_t peer(std::uint32_t mask) const { return folded.rank(place ^ mask); }
    Slots in_work(std::uint32_t of_place, std::uint32_t mask) const {
        return left_to(problem, of_place, mask).in(work.buffer, work.first);
    }
    Slots in_spare(std::uint32_t mask) const { return left_to(problem, place, mask).in(spare.buffer, spare.first); }
};

void halve(const Part& part, ProgramBuilder& program) {
    std::uint32_t phase = part.folded.phases();
    for (std::uint32_t mask = 1; mask < part.folded.size; mask *= 2, ++phase) {
        program.enter_phase(phase);
        const std::uint32_t received = program.receive(part.peer(mask), part.in_spare(mask));
        const Slots given = part.in_work(part.place ^ mask, mask);
        program.send(part.peer(mask), std::span(&given, 1), part.own);
        program.reduce(part.in_spare(mask), part.in_work(part.place, mask), received, part.own);
    }
}

// `away`: how far the place is from that which gathers, as bits; 0 for all where everybody gathers.
void gather(const Part& part, std::uint32_t away, bool is_for_all, ProgramBuilder& program) {
    std::uint32_t phase = part.folded.phases() + doublings(part.folded);
    for (std::uint32_t mask = part.folded.size / 2; mask > 0; mask /= 2, ++phase) {
        if (away >= 2 * mask) continue;
        program.enter_phase(phase);
        if (is_for_all || away < mask) program.receive(part.peer(mask), part.in_work(part.place ^ mask, mask));
        if (is_for_all || away >= mask) program.send(part.peer(mask), part.in_work(part.place, mask));
    }
}

}  // namespace

std::uint32_t phases_of_rabenseifner(const Problem& problem) {
    const Folded folded(ranks_of(problem));
    return std::max(1U, 2 * doublings(folded) + 2 * folded.phases());
}

void write_rabenseifner(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Folded folded(ranks_of(problem));
    const bool is_for_all = problem.operation == Operation::allreduce;
    const std::uint32_t last_phase = phases_of_rabenseifner(problem) - 1;
    const std::uint32_t top = folded.place(problem.root);
    if (folded.takes_part(rank)) {
        const bool is_alone = ranks_of(problem) == 1;
        const Slots spare = whole(problem, Buffer::scratch, program.reserve_scratch(is_alone ? 0 : problem.blocks));
        const Slots work = is_for_all || rank == problem.root
                               ? whole(problem, Buffer::receive)
                               : whole(problem, Buffer::scratch, program.reserve_scratch(problem.blocks));
        const std::uint32_t own = fold(problem, folded, rank, work, spare.first, program);
        const Part part{problem, folded, folded.place(rank), work, spare, own};
        halve(part, program);
        gather(part, is_for_all ? 0 : part.place ^ top, is_for_all, program);
        // A root that takes no part has its neighbour gather for it.
        if (!is_for_all && part.place == top && rank != problem.root) {
            program.enter_phase(last_phase);
            program.send(problem.root, work);
        }
    } else {
        fold(problem, folded, rank, {}, 0, program);
        if (!is_for_all && rank == problem.root) {
            program.enter_phase(last_phase);
            program.receive(rank + 1, whole(problem, Buffer::receive));
        }
    }
    if (is_for_all) unfold(problem, folded, rank, last_phase, program);
}

}  // namespace clearway::schedule::algorithm
