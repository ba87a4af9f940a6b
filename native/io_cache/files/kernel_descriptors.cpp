#include "io_cache/files/kernel_descriptors.hpp"

#include "io_cache/files/kernel.hpp"
#include "preload/own_descriptor.hpp"

namespace clearway::io_cache {

namespace {

constexpr int kKept = O_ACCMODE | O_APPEND | O_NONBLOCK | O_NOATIME;  // of open's flags, what lasts

int open_same(int fd, int flags) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return kernel::open(link, flags & kKept);
}

// The program may have lowered its limit since it got that number.
void replace(int fd, int fresh) {
    const bool closes = (kernel::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
    if (kernel::dup3(fresh, fd, closes ? O_CLOEXEC : 0) >= 0) return;
    const RaisedLimit limit(kMostDescriptors);
    kernel::dup3(fresh, fd, closes ? O_CLOEXEC : 0);
}

bool is_full(int fd) { return fd < 0 && errno == EMFILE; }

int open_same_in_full_table(int fd, int flags) {
    const int fresh = open_same(fd, flags);
    if (!is_full(fresh)) return fresh;
    const RaisedLimit limit(kMostDescriptors);
    return limit.is_raised() ? open_same(fd, flags) : -1;
}

}  // namespace

bool can_open_again() { return kernel::access(AT_FDCWD, "/proc/self/fd", X_OK) == 0; }

int descriptor_at(const OpenFile& open, const CachedFile& file) {
    if (file.fd >= 0) return file.fd;
    for (int fd = 0; fd < kMostDescriptors; ++fd)
        if (descriptors[fd].load(std::memory_order_relaxed) == &open) return fd;
    return -1;
}

bool reopen_descriptors(const OpenFile& open, CachedFile& file) {
    int fresh = open_same_in_full_table(descriptor_at(open, file), open.flags);
    if (is_full(fresh) && file.fd >= 0) {
        kernel::close(file.fd);
        file.fd = -1;
        fresh = open_same(descriptor_at(open, file), open.flags);
    }
    if (fresh < 0) return false;
    kernel::lseek(fresh, open.position, SEEK_SET);
    for (int fd = 0; fd < kMostDescriptors; ++fd)
        if (descriptors[fd].load(std::memory_order_relaxed) == &open) replace(fd, fresh);
    kernel::close(fresh);
    return true;
}

// Where that cannot be, what decides where bytes go is as asked for.
void reopen_with_flags(int fd, int flags) {
    const kernel::ErrnoGuard guard;
    const int fresh = open_same_in_full_table(fd, flags);
    if (fresh < 0) {
        kernel::fcntl(fd, F_SETFL, static_cast<unsigned long>(flags & kSettable));
        return;
    }
    replace(fd, fresh);
    kernel::close(fresh);
}

int dup_for_program(const CachedFile& file, int flags) {
    return kernel::fcntl(file.fd, (flags & O_CLOEXEC) != 0 ? F_DUPFD_CLOEXEC : F_DUPFD);
}

int dup_for_cache(int fd) { return copy_out_of_the_way(fd, kMostFiles, kMostDescriptors); }

bool is_cache_descriptor(int fd) {
    for (const CachedFile& file : files)
        if (file.id != kNoFile && file.fd == fd) return true;
    return false;
}

}  // namespace clearway::io_cache
