// What is to be known of an MPI datatype to move its elements as bytes.
#pragma once

#include <cstdint>

#include "mpi/abi.hpp"

namespace clearway::collectives {

struct TypeShape {
    Arg type = 0;
    std::uint64_t bytes = 0;  // of data in one element
    std::int64_t extent = 0;  // from one element to the next; may be negative
    bool is_plain = false;    // elements are their bytes in order, without gaps: copying them needs no MPI
};

// Bytes of data in one element, 0 for a type that MPI does not know.
std::uint64_t bytes_of_type(Arg type);

TypeShape shape_of(Arg type);

// Whether an element has data, and its first byte is at the element's address.
bool begins_at_its_address(Arg type);

}  // namespace clearway::collectives
