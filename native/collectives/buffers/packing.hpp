// Turns a block of the program's memory into contiguous bytes and back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/buffers/datatype.hpp"

namespace clearway::collectives {

struct TypedBlock {
    std::byte* address = nullptr;
    std::int64_t count = 0;
    TypeShape shape;

    std::uint64_t bytes() const { return static_cast<std::uint64_t>(count) * shape.bytes; }
};

// Whether MPI would pack elements of this type; not those of one that was never committed.
bool can_pack(Arg type);

// Both return MPI_SUCCESS or an error code.
int pack(const TypedBlock& block, std::byte* into);
int unpack(const std::byte* from, const TypedBlock& block);

}  // namespace clearway::collectives
