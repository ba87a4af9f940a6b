// The blocks of one side of a call, where they lie in the program's memory.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/buffers/packing.hpp"
#include "collectives/call.hpp"

namespace clearway::collectives {

inline std::uint32_t blocks_in(const Side& side, std::uint32_t ranks) {
    return side.division == Division::one_block ? 1 : ranks;
}

// Below, MPI does not refuse the side (refusal.hpp).

Arg address_of_block(const Side& side, std::uint32_t block);

// Bytes of data in one block, and in the largest.
std::uint64_t bytes_of_block(const Side& side, std::uint32_t block);
std::uint64_t bytes_of_largest_block(const Side& side, std::uint32_t ranks);

// Fills `blocks`, one element a block; keeps its memory.
void list_blocks(const Side& side, std::uint32_t ranks, std::vector<TypedBlock>& blocks);

}  // namespace clearway::collectives
