// Locks of fcntl and lockf belong to the process: any close of any descriptor of the file ends them, ours too. So a
// file that the program has locked never enters, and nothing of it is opened or closed but by the program.
#pragma once

#include <sys/types.h>

namespace clearway::io_cache {

// Before the kernel locks `fd`.
void note_posix_lock(int fd);

// True also where too many were locked to know.
bool may_be_locked(dev_t device, ino_t inode);

}  // namespace clearway::io_cache
