// Elements of 2 GiB and more: MPI_Pack counts in int, but a message to oneself moves them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/abi.hpp"

namespace clearway::collectives {

// Elements of a type in the program's memory.
struct Slice {
    Arg address;
    std::int64_t count;
    Arg type;
};

// Return MPI_SUCCESS or an error code.
int send_to_self(const Slice& in_program, std::byte* into, std::uint64_t bytes);
int receive_from_self(const std::byte* from, std::uint64_t bytes, const Slice& in_program);

}  // namespace clearway::collectives
