// Dissemination barrier (Hensgen, Finkel, Manber 1988): in phase k each rank tells the one 2^k further of whom it has
// heard, and hears from the one 2^k before.
#include "schedule/algorithms.hpp"

namespace clearway::schedule::algorithm {

void write_dissemination(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const std::uint32_t ranks = ranks_of(problem);
    const Slots known{Buffer::receive, 0, 1};
    const Slots news{Buffer::scratch, program.reserve_scratch(ranks > 1 ? 1 : 0), 1};
    const std::uint32_t own = program.copy(Slots{Buffer::send, 0, 1}, known);
    std::uint32_t phase = 0;
    for (std::uint32_t distance = 1; distance < ranks; distance *= 2, ++phase) {
        program.enter_phase(phase);
        const std::uint32_t heard = program.receive((rank + ranks - distance) % ranks, news);
        const std::uint32_t told = program.send((rank + distance) % ranks, std::span(&known, 1), own);
        program.reduce(news, known, heard, told);
    }
}

}  // namespace clearway::schedule::algorithm
