// The real file behind a cached one, as plain functions: the cache itself calls no libc door.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>

namespace clearway::io_cache {

// As the system calls of these names, with `context` for the descriptor. Called with the cached file locked, so they
// must not come back into the cache.
struct Backing {
    ssize_t (*preadv)(void* context, const iovec* pieces, int count, off_t offset) = nullptr;
    ssize_t (*pwritev)(void* context, const iovec* pieces, int count, off_t offset) = nullptr;
    int (*truncate)(void* context, off_t bytes) = nullptr;
    void* context = nullptr;
    off_t size_bytes = 0;  // when it is added
};

// Whole transfers, however small the pieces in which the kernel does them.
struct Moved {
    std::size_t bytes = 0;
    int error = 0;  // what stopped it
};

// Both use up `pieces`. What is read beyond the end of the file is zeros.
Moved read_all(const Backing& backing, iovec* pieces, int count, off_t offset);
Moved write_all(const Backing& backing, iovec* pieces, int count, off_t offset);

}  // namespace clearway::io_cache
