// Doors that move within a file, resize it, or make it durable.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "io_cache/doors/door.hpp"
#include "io_cache/files/serve.hpp"
#include "io_cache/files/stop_caching.hpp"

using namespace clearway;
using namespace clearway::io_cache;

CLEARWAY_DOOR(lseek) {
    const auto at = is_cached(fd) ? serve_seek(fd, offset, whence) : std::nullopt;
    return at ? *at : CLEARWAY_REAL(lseek);
}

CLEARWAY_DOOR(ftruncate) {
    const auto result = is_cached(fd) ? serve_truncate(fd, bytes) : std::nullopt;
    return result ? *result : CLEARWAY_REAL(ftruncate);
}

CLEARWAY_DOOR(fallocate) {
    const bool keeps_size = mode == FALLOC_FL_KEEP_SIZE;
    pthread_testcancel();
    if (mode != 0 && !keeps_size) stop_caching_descriptor(fd);
    const auto result = is_cached(fd) ? serve_allocate(fd, keeps_size, offset, bytes) : std::nullopt;
    return result ? *result : CLEARWAY_REAL(fallocate);
}

// On file systems without fallocate, libc writes a byte into each block that it believes to be empty.
CLEARWAY_DOOR_AFTER(posix_fallocate, stop_caching_descriptor(fd))

#define CLEARWAY_FLUSHING_DOOR(name) \
    CLEARWAY_DOOR(name) { return is_cached(fd) && serve_flush(fd) != 0 ? -1 : CLEARWAY_REAL(name); }

CLEARWAY_FLUSHING_DOOR(fsync)
CLEARWAY_FLUSHING_DOOR(fdatasync)
CLEARWAY_FLUSHING_DOOR(sync_file_range)

CLEARWAY_DOOR_AFTER(syncfs, stop_caching_all())
CLEARWAY_DOOR_AFTER(sync, stop_caching_all())
