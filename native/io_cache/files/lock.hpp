// flock(2): libraries like HDF5 lock each file that they open. The kernel's open file description has the lock, and the
// file need not leave the cache for it: whoever would take the lock, too, must open the file first.
#pragma once

#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

// Before the kernel locks or unlocks `fd`. The file leaves where its lock would not be the program's own.
void serve_lock(int fd);

// The last descriptor is closed, ours is not; with `room` held alone.
void end_lock(CachedFile& file);

}  // namespace clearway::io_cache
