// A program's own locks on its files, of both kinds.
//
// fcntl and lockf: they belong to the process, and any close of any descriptor of the file ends them, ours too. So a
// file that the program has locked so is never cached, and nothing of it is opened or closed but by the program.
//
// flock: libraries like HDF5 lock each file that they open. The kernel's open file description has the lock, and the
// file need not leave the cache for it: whoever would take the lock, too, must open the file first.
#pragma once

#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

// Before the kernel locks `fd` by fcntl or lockf.
void note_posix_lock(int fd);

// True also where too many were locked to know.
bool may_have_posix_lock(dev_t device, ino_t inode);

// Before the kernel locks or unlocks `fd` by flock. The file leaves where its lock would not be the program's own.
void serve_flock(int fd);

// The last descriptor is closed, ours is not; with `table_lock` held alone.
void end_flock(CachedFile& file);

}  // namespace clearway::io_cache
