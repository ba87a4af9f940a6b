// Whole transfers to and from a backing, however small the pieces in which the kernel does them.
#pragma once

#include <cstddef>

#include "io_cache/store/backing.hpp"

namespace clearway::io_cache {

struct Moved {
    std::size_t bytes = 0;
    int error = 0;  // what stopped it
};

// Both use up `pieces`. What is read beyond the end of the file is zeros.
Moved read_all(const Backing& backing, iovec* pieces, int count, off_t offset);
Moved write_all(const Backing& backing, iovec* pieces, int count, off_t offset);

}  // namespace clearway::io_cache
