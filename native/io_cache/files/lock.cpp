#include "io_cache/files/lock.hpp"

#include <sys/file.h>

#include "io_cache/files/kernel.hpp"
#include "io_cache/files/leave.hpp"

namespace clearway::io_cache {

void serve_lock(int fd) {
    if (!is_held(fd) || !in_own_process()) return;
    const kernel::ErrnoGuard guard;
    const Alone alone;
    const OpenFile* open = alone ? descriptors[fd].load(std::memory_order_relaxed) : nullptr;
    if (open == nullptr || open->file == nullptr) return;
    CachedFile& file = *open->file;
    file.locked = file.is_watched && takes_over(*open, file);
    if (!file.locked) leave(file);
}

void end_lock(CachedFile& file) {
    if (file.locked) syscall(SYS_flock, file.fd, LOCK_UN);
    file.locked = false;
}

}  // namespace clearway::io_cache
