#include "io_cache/files/kernel_descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "io_cache/files/kernel.hpp"

namespace clearway::io_cache {

namespace {

constexpr int kKept = O_ACCMODE | O_APPEND | O_NONBLOCK | O_NOATIME;  // of open's flags, what lasts

int open_same(int fd, int flags) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return kernel::open(link, flags & kKept);
}

void replace(int fd, int fresh) {
    const bool closes = (kernel::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
    kernel::dup3(fresh, fd, closes ? O_CLOEXEC : 0);
}

bool change_limit(const rlimit* wanted, rlimit* before) {
    return syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, wanted, before) == 0;
}

int copy_from(int fd, rlim_t lowest) { return kernel::fcntl(fd, F_DUPFD_CLOEXEC, lowest); }

}  // namespace

bool reopen_descriptors(const OpenFile& open, int ours) {
    const int fresh = open_same(ours, open.flags);
    if (fresh < 0) return false;
    kernel::lseek(fresh, open.position, SEEK_SET);
    for (int fd = 0; fd < kMostDescriptors; ++fd)
        if (descriptors[fd].load(std::memory_order_relaxed) == &open) replace(fd, fresh);
    kernel::close(fresh);
    return true;
}

void reopen_with_flags(int fd, int flags) {
    const kernel::ErrnoGuard guard;
    const int fresh = open_same(fd, flags);
    if (fresh < 0) return;
    replace(fd, fresh);
    kernel::close(fresh);
}

int dup_for_program(const CachedFile& file, int flags) {
    return kernel::fcntl(file.fd, (flags & O_CLOEXEC) != 0 ? F_DUPFD_CLOEXEC : F_DUPFD);
}

// The limit is one of numbers: beyond the soft one, as far as the hard one goes, ours take none of the program's. Where
// that cannot be, they have the last quarter of its table at most.
int dup_for_cache(int fd) {
    static constinit pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    const DeferSignals deferred;
    pthread_mutex_lock(&turn);
    rlimit limit{};
    change_limit(nullptr, &limit);
    const rlim_t soft = limit.rlim_cur;
    int own = -1;
    if (soft < limit.rlim_max && soft <= kMostDescriptors) {
        const rlimit raised{std::min<rlim_t>(limit.rlim_max, soft + 2 * kMostFiles), limit.rlim_max};
        if (change_limit(&raised, nullptr)) own = copy_from(fd, soft);
        rlimit now{};
        if (change_limit(nullptr, &now) && now.rlim_cur == raised.rlim_cur) change_limit(&limit, nullptr);
    }
    const rlim_t highest = std::min<rlim_t>(soft, kMostDescriptors);
    if (own < 0) own = copy_from(fd, highest - std::min<rlim_t>(highest / 4, kMostFiles));
    pthread_mutex_unlock(&turn);
    return own;
}

bool is_cache_descriptor(int fd) {
    for (const CachedFile& file : files)
        if (file.id != kNoFile && file.fd == fd) return true;
    return false;
}

}  // namespace clearway::io_cache
