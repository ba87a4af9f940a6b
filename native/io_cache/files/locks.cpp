#include "io_cache/files/locks.hpp"

#include <sys/file.h>
#include <sys/sysmacros.h>

#include <atomic>

#include "io_cache/files/kernel.hpp"
#include "io_cache/files/stop_caching.hpp"

namespace clearway::io_cache {

namespace {

constexpr int kMost = 512;

struct Locked {
    std::atomic<ino_t> inode;  // 0: not yet
    std::atomic<dev_t> device;
};

// They stay: a lock that has ended costs no more than a file that the kernel serves. Only ever added to, and read
// without a lock, as it is at any moment.
constinit Locked locked[kMost]{};
constinit std::atomic<int> count{0};

}  // namespace

bool may_have_posix_lock(dev_t device, ino_t inode) {
    const int known = count.load(std::memory_order_acquire);
    if (known > kMost) return true;
    for (int i = 0; i < known; ++i) {
        const ino_t there = locked[i].inode.load(std::memory_order_acquire);
        if (there == 0 || (there == inode && locked[i].device.load(std::memory_order_relaxed) == device)) return true;
    }
    return false;
}

void note_posix_lock(int fd) {
    struct statx status {};
    if (!serving.load(std::memory_order_relaxed) || !in_own_process()) return;
    const kernel::ErrnoGuard guard;
    if (kernel::statx(fd, STATX_TYPE | STATX_INO, status) != 0 || !S_ISREG(status.stx_mode)) return;
    const dev_t device = makedev(status.stx_dev_major, status.stx_dev_minor);
    if (may_have_posix_lock(device, status.stx_ino)) return;
    const int place = count.fetch_add(1, std::memory_order_acq_rel);
    if (place >= kMost) {
        count.store(kMost + 1, std::memory_order_release);
        return;
    }
    locked[place].device.store(device, std::memory_order_relaxed);
    locked[place].inode.store(status.stx_ino, std::memory_order_release);
}

void serve_flock(int fd) {
    if (!is_cached(fd) || !in_own_process()) return;
    const kernel::ErrnoGuard guard;
    const ExclusiveLock alone;
    const OpenFile* open = alone ? descriptors[fd].load(std::memory_order_relaxed) : nullptr;
    if (open == nullptr || open->file == nullptr) return;
    CachedFile& file = *open->file;
    file.has_flock = file.is_watched && takes_over(*open, file);
    if (!file.has_flock) stop_caching(file);
}

void end_flock(CachedFile& file) {
    if (file.has_flock) syscall(SYS_flock, file.fd, LOCK_UN);
    file.has_flock = false;
}

}  // namespace clearway::io_cache
