#include "schedule/schedule.hpp"

namespace clearway::schedule {

namespace {

std::uint32_t blocks_received(const Problem& problem, std::uint32_t rank) {
    if (problem.operation == Operation::bcast) return rank == problem.root ? 0 : problem.blocks;
    if (problem.operation == Operation::reduce) return rank == problem.root ? problem.blocks : 0;
    return problem.operation == Operation::reduce_scatter ? 1 : problem.blocks;
}

}  // namespace

std::uint32_t block_in(const Problem& problem, std::uint32_t rank, Buffer buffer, std::uint32_t slot) {
    if (buffer == Buffer::scratch) return slot % problem.blocks;
    return buffer == Buffer::receive && problem.operation == Operation::reduce_scatter ? rank : slot;
}

std::uint32_t slots_in(const Problem& problem, const Program& program, Buffer buffer) {
    switch (buffer) {
        case Buffer::send:
            if (is_on_vector(problem.operation))
                return problem.operation == Operation::bcast && program.rank != problem.root ? 0 : problem.blocks;
            return is_allgather(problem.operation) ? 1 : ranks_of(problem);
        case Buffer::receive:
            return is_on_vector(problem.operation) ? blocks_received(problem, program.rank) : ranks_of(problem);
        case Buffer::scratch:
            return program.scratch_slots;
    }
    return 0;
}

std::uint64_t bytes_of_slot(const Problem& problem, std::uint32_t rank, Buffer buffer, std::uint32_t slot) {
    if (is_on_vector(problem.operation)) return bytes_of_vector_block(problem, block_in(problem, rank, buffer, slot));
    switch (buffer) {
        case Buffer::send:
            return bytes_of_block(problem, rank, slot);
        case Buffer::receive:
            return bytes_of_block(problem, slot, rank);
        case Buffer::scratch:
            return problem.block_bytes[0];
    }
    return 0;
}

std::uint64_t bytes_of(const Problem& problem, const Program& program, std::uint32_t rank, Range slots) {
    std::uint64_t total = 0;
    for (std::uint32_t i = slots.first; i < slots.first + slots.count; ++i) {
        const Slots& run = program.slots[i];
        if (problem.block_bytes.size() == 1) {
            total += run.count * problem.block_bytes[0];
            continue;
        }
        for (std::uint32_t slot = run.first; slot < run.first + run.count; ++slot)
            total += bytes_of_slot(problem, rank, run.buffer, slot);
    }
    return total;
}

}  // namespace clearway::schedule
