// Reading, writing and moving in a file that is in the cache. Each returns nothing where the kernel is to do it: the
// file is not in the cache, or has just left it because this is not for us.
#pragma once

#include <sys/uio.h>
#include <sys/vfs.h>

#include <optional>

#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

inline constexpr off_t kAtPosition = -1;

std::optional<ssize_t> serve_read(int fd, const iovec* parts, int count, off_t at);
std::optional<ssize_t> serve_write(int fd, const iovec* parts, int count, off_t at);
std::optional<off_t> serve_seek(int fd, off_t offset, int whence);
std::optional<int> serve_truncate(int fd, off_t bytes);

// As fallocate without a mode, or to keep the size.
std::optional<int> serve_allocate(int fd, bool keeps_size, off_t offset, off_t bytes);

// All that was written goes to the file system. -1 and errno: it did not; 0: it did, or was not in the cache.
int serve_flush(int fd);

void note_free_bytes(CachedFile& file, const struct statfs& status);

}  // namespace clearway::io_cache
