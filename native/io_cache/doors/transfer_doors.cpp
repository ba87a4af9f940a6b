// Doors that move bytes through a descriptor: read, write and their positioned, vectored, checked and 64-bit names.
#include <pthread.h>

#include <cstddef>

#include "cache_doors.hpp"
#include "io_cache/files/serve.hpp"
#include "io_cache/files/stop_caching.hpp"

namespace clearway::io_cache {

namespace {

// `served()` where the descriptor is in the cache, else what the kernel says.
template <class Served, class Kernel>
[[gnu::always_inline]] inline ssize_t moved(int fd, Served served, Kernel kernel) {
    if (!is_cached(fd)) [[likely]]
        return kernel();
    pthread_testcancel();  // as libc's own: a thread that does nothing else could not be cancelled
    const auto bytes = served();
    return bytes ? *bytes : kernel();
}

iovec part(const void* buffer, std::size_t bytes) { return {const_cast<void*>(buffer), bytes}; }

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

CLEARWAY_DOOR(read) {
    const iovec whole = part(buffer, bytes);
    return moved(
        fd, [&] { return serve_read(fd, &whole, 1, kAtPosition); }, [&] { return CLEARWAY_REAL(read); });
}

CLEARWAY_DOOR(__read_chk) {
    if (bytes > capacity) return CLEARWAY_REAL(__read_chk);
    return door_read(fd, buffer, bytes);
}

CLEARWAY_DOOR(readv) {
    return moved(
        fd, [&] { return serve_read(fd, parts, count, kAtPosition); }, [&] { return CLEARWAY_REAL(readv); });
}

// Offsets below 0 are errors here, and the kernel says so.
CLEARWAY_DOOR(pread) {
    if (at < 0) return CLEARWAY_REAL(pread);
    const iovec whole = part(buffer, bytes);
    return moved(
        fd, [&] { return serve_read(fd, &whole, 1, at); }, [&] { return CLEARWAY_REAL(pread); });
}

CLEARWAY_DOOR(__pread_chk) {
    if (bytes > capacity) return CLEARWAY_REAL(__pread_chk);
    return door_pread(fd, buffer, bytes, at);
}

CLEARWAY_DOOR(preadv) {
    if (at < 0) return CLEARWAY_REAL(preadv);
    return moved(
        fd, [&] { return serve_read(fd, parts, count, at); }, [&] { return CLEARWAY_REAL(preadv); });
}

CLEARWAY_DOOR(preadv2) {
    if (flags != 0) stop_caching_descriptor(fd);
    return moved(
        fd, [&] { return serve_read(fd, parts, count, at); }, [&] { return CLEARWAY_REAL(preadv2); });
}

CLEARWAY_DOOR(write) {
    const iovec whole = part(buffer, bytes);
    return moved(
        fd, [&] { return serve_write(fd, &whole, 1, kAtPosition); }, [&] { return CLEARWAY_REAL(write); });
}

CLEARWAY_DOOR(writev) {
    return moved(
        fd, [&] { return serve_write(fd, parts, count, kAtPosition); }, [&] { return CLEARWAY_REAL(writev); });
}

CLEARWAY_DOOR(pwrite) {
    if (at < 0) return CLEARWAY_REAL(pwrite);
    const iovec whole = part(buffer, bytes);
    return moved(
        fd, [&] { return serve_write(fd, &whole, 1, at); }, [&] { return CLEARWAY_REAL(pwrite); });
}

CLEARWAY_DOOR(pwritev) {
    if (at < 0) return CLEARWAY_REAL(pwritev);
    return moved(
        fd, [&] { return serve_write(fd, parts, count, at); }, [&] { return CLEARWAY_REAL(pwritev); });
}

CLEARWAY_DOOR(pwritev2) {
    if (flags != 0) stop_caching_descriptor(fd);
    return moved(
        fd, [&] { return serve_write(fd, parts, count, at); }, [&] { return CLEARWAY_REAL(pwritev2); });
}
