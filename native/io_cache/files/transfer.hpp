// Reading, writing and moving in a file that is in the cache. Each returns nothing where the kernel is to do it: the
// file is not in the cache, or has just left it because this is not for us.
#pragma once

#include <sys/uio.h>

#include <optional>

#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

inline constexpr off_t kAtPosition = -1;

std::optional<ssize_t> serve_read(int fd, const iovec* parts, int count, off_t at);
std::optional<ssize_t> serve_write(int fd, const iovec* parts, int count, off_t at);
std::optional<off_t> serve_seek(int fd, off_t offset, int whence);
std::optional<int> serve_truncate(int fd, off_t bytes);

// The kernel has made room up to `bytes`, which is the file's size now if it was shorter.
void serve_extension(int fd, off_t bytes);

// All that was written goes to the file system. -1 and errno: it did not; 0: it did, or was not in the cache.
int serve_flush(int fd);

// The program closes `fd`; before the kernel does. The errno that close has to tell, or 0.
int serve_close(int fd);

// The kernel made `to` a copy of `from`.
void serve_copy(int from, int to);

}  // namespace clearway::io_cache
