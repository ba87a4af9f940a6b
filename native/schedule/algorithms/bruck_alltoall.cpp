// Bruck's index algorithm (Bruck et al. 1997): ⌈log2 N⌉ phases instead of N−1, for which each block travels up to as
// many times. Three parts:
//   rotation: work slot j holds the block for the rank j further on
//   phase k:  the slots whose number has bit k set are packed, go 2^k ranks further, and are unpacked in place
//   rotation: work slot j holds the block of the rank j before
#include <vector>

#include "schedule/algorithms.hpp"

namespace clearway::schedule::algorithm {

namespace {

std::vector<Slots> slots_with_bit(std::uint32_t bit, std::uint32_t ranks, std::uint32_t first_work_slot) {
    std::vector<Slots> runs;
    for (std::uint32_t j = 0; j < ranks; ++j)
        if ((j & bit) != 0) append_slot(runs, Buffer::scratch, first_work_slot + j);
    return runs;
}

std::uint32_t slots_in_all(const std::vector<Slots>& runs) {
    std::uint32_t total = 0;
    for (const Slots& run : runs) total += run.count;
    return total;
}

std::vector<Slots> rotated(Buffer buffer, std::uint32_t first, std::uint32_t count) {
    std::vector<Slots> runs{{buffer, first, count - first}};
    if (first != 0) runs.push_back({buffer, 0, first});
    return runs;
}

}  // namespace

void write_bruck_alltoall(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const std::uint32_t ranks = ranks_of(problem);
    const std::uint32_t work = program.reserve_scratch(ranks);
    const std::uint32_t packed_out = program.reserve_scratch(ranks / 2);
    const std::uint32_t packed_in = program.reserve_scratch(ranks / 2);

    const Slots all_work{Buffer::scratch, work, ranks};
    std::uint32_t last = program.copy(rotated(Buffer::send, rank, ranks), std::span(&all_work, 1));
    std::uint32_t phase = 0;
    for (std::uint32_t distance = 1; distance < ranks; distance *= 2, ++phase) {
        program.enter_phase(phase);
        const std::vector<Slots> moving = slots_with_bit(distance, ranks, work);
        const Slots out{Buffer::scratch, packed_out, slots_in_all(moving)};
        const Slots in{Buffer::scratch, packed_in, out.count};
        const std::uint32_t packed = program.copy(moving, std::span(&out, 1), last);
        const std::uint32_t received = program.receive((rank + ranks - distance) % ranks, std::span(&in, 1), packed);
        program.send((rank + distance) % ranks, std::span(&out, 1), packed);
        last = program.copy(std::span(&in, 1), moving, received);
    }
    std::vector<Slots> places;
    for (std::uint32_t j = 0; j < ranks; ++j) append_slot(places, Buffer::receive, (rank + ranks - j) % ranks);
    program.copy(std::span(&all_work, 1), places, last);
}

}  // namespace clearway::schedule::algorithm
