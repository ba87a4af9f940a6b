#include "io_cache/store/kernel_text.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace clearway::io_cache {

int read_kernel_text(const char* path, KernelText& text) {
    const long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    const long length = syscall(SYS_read, fd, text.bytes, sizeof text.bytes - 1);
    const int error = length < 0 ? errno : 0;
    syscall(SYS_close, fd);
    text.bytes[std::max(length, 0L)] = '\0';
    return error;
}

}  // namespace clearway::io_cache
