// The kernel's calls that the cache itself makes. Not through libc's names, for those are doors: the recorder would
// count what the program did not ask for, and we would meet ourselves.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace clearway::io_cache::kernel {

// Libc splits the offset of preadv and pwritev in two for the kernel's sake; on 64-bit machines the first holds it.
inline ssize_t preadv(int fd, const iovec* pieces, int count, off_t offset) {
    return syscall(SYS_preadv, fd, pieces, static_cast<long>(count), offset, 0L);
}
inline ssize_t pwritev(int fd, const iovec* pieces, int count, off_t offset) {
    return syscall(SYS_pwritev, fd, pieces, static_cast<long>(count), offset, 0L);
}
inline int ftruncate(int fd, off_t bytes) { return static_cast<int>(syscall(SYS_ftruncate, fd, bytes)); }
inline int fsync(int fd) { return static_cast<int>(syscall(SYS_fsync, fd)); }
inline int close(int fd) { return static_cast<int>(syscall(SYS_close, fd)); }
inline off_t lseek(int fd, off_t offset, int whence) { return syscall(SYS_lseek, fd, offset, whence); }
inline int open(const char* path, int flags, mode_t mode = 0) {
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode));
}
inline int dup3(int from, int to, int flags) { return static_cast<int>(syscall(SYS_dup3, from, to, flags)); }
inline int fcntl(int fd, int command, unsigned long argument = 0) {
    return static_cast<int>(syscall(SYS_fcntl, fd, static_cast<long>(command), argument));
}
inline int statx(int directory, const char* path, int flags, unsigned mask, struct statx& status) {
    return static_cast<int>(syscall(SYS_statx, directory, path, flags, mask, &status));
}
inline int statx(int fd, unsigned mask, struct statx& status) { return statx(fd, "", AT_EMPTY_PATH, mask, status); }
inline int access(int directory, const char* path, int mode) {
    return static_cast<int>(syscall(SYS_faccessat2, directory, path, mode, AT_EACCESS));
}
inline pid_t process() { return static_cast<pid_t>(syscall(SYS_getpid)); }

// What another door or the program says about a failure stays what it was.
class ErrnoGuard {
public:
    ErrnoGuard() : saved_(errno) {}
    ~ErrnoGuard() { errno = saved_; }
    ErrnoGuard(const ErrnoGuard&) = delete;
    ErrnoGuard& operator=(const ErrnoGuard&) = delete;

private:
    int saved_;
};

// A program may pass any pointer; the kernel then says EFAULT, where reading it ourselves would end the program.
inline bool can_read_name(int directory, const char* path) {
    const ErrnoGuard guard;
    return access(directory, path, F_OK) == 0 || errno != EFAULT;
}

}  // namespace clearway::io_cache::kernel
