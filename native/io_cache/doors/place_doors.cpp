// Doors that move within a file, resize it, or make it durable.
#include <fcntl.h>
#include <unistd.h>

#include "io_cache/doors/door.hpp"
#include "io_cache/files/serve.hpp"
#include "io_cache/files/stop_caching.hpp"

using namespace clearway;
using namespace clearway::io_cache;

IO_DOOR(off_t, lseek, int fd, off_t offset, int whence) {
    static constinit Real<off_t(int, off_t, int)> real{"lseek"};
    const auto at = is_cached(fd) ? serve_seek(fd, offset, whence) : std::nullopt;
    return at ? *at : real(fd, offset, whence);
}
IO_SAME_DOOR(lseek64, lseek);

IO_DOOR(int, ftruncate, int fd, off_t bytes) {
    static constinit Real<int(int, off_t)> real{"ftruncate"};
    const auto result = is_cached(fd) ? serve_truncate(fd, bytes) : std::nullopt;
    return result ? *result : real(fd, bytes);
}
IO_SAME_DOOR(ftruncate64, ftruncate);

IO_DOOR(int, fallocate, int fd, int mode, off_t offset, off_t bytes) {
    static constinit Real<int(int, int, off_t, off_t)> real{"fallocate"};
    const bool keeps_size = mode == FALLOC_FL_KEEP_SIZE;
    if (mode != 0 && !keeps_size) stop_caching_descriptor(fd);
    const auto result = is_cached(fd) ? serve_allocate(fd, keeps_size, offset, bytes) : std::nullopt;
    return result ? *result : real(fd, mode, offset, bytes);
}
IO_SAME_DOOR(fallocate64, fallocate);

// On file systems without fallocate, libc writes a byte into each block that it believes to be empty.
IO_DOOR(int, posix_fallocate, int fd, off_t offset, off_t bytes) {
    static constinit Real<int(int, off_t, off_t)> real{"posix_fallocate"};
    stop_caching_descriptor(fd);
    return real(fd, offset, bytes);
}
IO_SAME_DOOR(posix_fallocate64, posix_fallocate);

IO_DOOR(int, fsync, int fd) {
    static constinit Real<int(int)> real{"fsync"};
    return is_cached(fd) && serve_flush(fd) != 0 ? -1 : real(fd);
}

IO_DOOR(int, fdatasync, int fd) {
    static constinit Real<int(int)> real{"fdatasync"};
    return is_cached(fd) && serve_flush(fd) != 0 ? -1 : real(fd);
}

IO_DOOR(int, sync_file_range, int fd, off_t offset, off_t bytes, unsigned flags) {
    static constinit Real<int(int, off_t, off_t, unsigned)> real{"sync_file_range"};
    return is_cached(fd) && serve_flush(fd) != 0 ? -1 : real(fd, offset, bytes, flags);
}

IO_DOOR(int, syncfs, int fd) {
    static constinit Real<int(int)> real{"syncfs"};
    stop_caching_all();
    return real(fd);
}

IO_DOOR(void, sync) {
    static constinit Real<void()> real{"sync"};
    stop_caching_all();
    real();
}
