#include "collectives/buffers/block_list.hpp"

#include <algorithm>

namespace clearway::collectives {

namespace {

// Where a block begins, in bytes from the buffer.
std::int64_t offset_of(const Side& side, std::uint32_t block, std::int64_t count, std::int64_t extent) {
    switch (side.division) {
        case Division::one_block:
            return 0;
        case Division::equal:
            return block * count * extent;
        case Division::counted:
            return side.displacement_of(block) * extent;
        case Division::typed:
            return side.displacement_of(block);
    }
    return 0;
}

bool has_many_counts(const Side& side) {
    return side.division == Division::counted || side.division == Division::typed;
}

}  // namespace

Arg address_of_block(const Side& side, std::uint32_t block) {
    const Arg type = side.type_of(block);
    return side.buffer + offset_of(side, block, side.count_of(block), shape_of(type).extent);
}

std::uint64_t bytes_of_block(const Side& side, std::uint32_t block) {
    const std::int64_t count = side.count_of(block);
    return count == 0 ? 0 : static_cast<std::uint64_t>(count) * bytes_of_type(side.type_of(block));
}

std::uint64_t bytes_of_largest_block(const Side& side, std::uint32_t ranks) {
    if (!has_many_counts(side)) return bytes_of_block(side, 0);
    std::uint64_t largest = 0;
    for (std::uint32_t block = 0; block < ranks; ++block) largest = std::max(largest, bytes_of_block(side, block));
    return largest;
}

void list_blocks(const Side& side, std::uint32_t ranks, std::vector<TypedBlock>& blocks) {
    blocks.resize(blocks_in(side, ranks));
    TypeShape shape;
    bool is_known = false;
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
        const std::int64_t count = side.count_of(i);
        blocks[i] = {};
        if (count == 0) continue;  // its type may be null
        const Arg type = side.type_of(i);
        if (!is_known || type != shape.type) shape = shape_of(type);
        is_known = true;
        const Arg address = side.buffer + offset_of(side, i, count, shape.extent);
        blocks[i] = {.address = reinterpret_cast<std::byte*>(address), .count = count, .shape = shape};
    }
}

}  // namespace clearway::collectives
