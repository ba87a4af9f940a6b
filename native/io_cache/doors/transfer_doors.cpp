// Doors that move bytes through a descriptor: read, write and their positioned, vectored, checked and 64-bit names.
#include <cstddef>

#include "io_cache/doors/door.hpp"
#include "io_cache/files/serve.hpp"
#include "io_cache/files/stop_caching.hpp"

namespace clearway::io_cache {

namespace {

// `served()` where the descriptor is in the cache, else what the kernel says.
template <class Served, class Kernel>
[[gnu::always_inline]] inline ssize_t moved(int fd, Served served, Kernel kernel) {
    if (!is_cached(fd)) [[likely]]
        return kernel();
    const auto bytes = served();
    return bytes ? *bytes : kernel();
}

iovec part(const void* buffer, std::size_t bytes) { return {const_cast<void*>(buffer), bytes}; }

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

IO_DOOR(ssize_t, read, int fd, void* buffer, std::size_t bytes) {
    static constinit Real<ssize_t(int, void*, std::size_t)> real{"read"};
    const iovec whole = part(buffer, bytes);
    return moved(
        fd, [&] { return serve_read(fd, &whole, 1, kAtPosition); }, [&] { return real(fd, buffer, bytes); });
}

IO_DOOR(ssize_t, __read_chk, int fd, void* buffer, std::size_t bytes, std::size_t capacity) {
    static constinit Real<ssize_t(int, void*, std::size_t, std::size_t)> real{"__read_chk"};
    if (bytes > capacity) return real(fd, buffer, bytes, capacity);
    return io_door_read(fd, buffer, bytes);
}

IO_DOOR(ssize_t, readv, int fd, const iovec* parts, int count) {
    static constinit Real<ssize_t(int, const iovec*, int)> real{"readv"};
    return moved(
        fd, [&] { return serve_read(fd, parts, count, kAtPosition); }, [&] { return real(fd, parts, count); });
}

// Offsets below 0 are errors here, and the kernel says so.
IO_DOOR(ssize_t, pread, int fd, void* buffer, std::size_t bytes, off_t at) {
    static constinit Real<ssize_t(int, void*, std::size_t, off_t)> real{"pread"};
    if (at < 0) return real(fd, buffer, bytes, at);
    const iovec whole = part(buffer, bytes);
    return moved(
        fd, [&] { return serve_read(fd, &whole, 1, at); }, [&] { return real(fd, buffer, bytes, at); });
}
IO_SAME_DOOR(pread64, pread);

IO_DOOR(ssize_t, __pread_chk, int fd, void* buffer, std::size_t bytes, off_t at, std::size_t capacity) {
    static constinit Real<ssize_t(int, void*, std::size_t, off_t, std::size_t)> real{"__pread_chk"};
    if (bytes > capacity) return real(fd, buffer, bytes, at, capacity);
    return io_door_pread(fd, buffer, bytes, at);
}
IO_SAME_DOOR(__pread64_chk, __pread_chk);

IO_DOOR(ssize_t, preadv, int fd, const iovec* parts, int count, off_t at) {
    static constinit Real<ssize_t(int, const iovec*, int, off_t)> real{"preadv"};
    if (at < 0) return real(fd, parts, count, at);
    return moved(
        fd, [&] { return serve_read(fd, parts, count, at); }, [&] { return real(fd, parts, count, at); });
}
IO_SAME_DOOR(preadv64, preadv);

IO_DOOR(ssize_t, preadv2, int fd, const iovec* parts, int count, off_t at, int flags) {
    static constinit Real<ssize_t(int, const iovec*, int, off_t, int)> real{"preadv2"};
    if (flags != 0) stop_caching_descriptor(fd);
    return moved(
        fd, [&] { return serve_read(fd, parts, count, at); }, [&] { return real(fd, parts, count, at, flags); });
}
IO_SAME_DOOR(preadv64v2, preadv2);

IO_DOOR(ssize_t, write, int fd, const void* buffer, std::size_t bytes) {
    static constinit Real<ssize_t(int, const void*, std::size_t)> real{"write"};
    const iovec whole = part(buffer, bytes);
    return moved(
        fd, [&] { return serve_write(fd, &whole, 1, kAtPosition); }, [&] { return real(fd, buffer, bytes); });
}

IO_DOOR(ssize_t, writev, int fd, const iovec* parts, int count) {
    static constinit Real<ssize_t(int, const iovec*, int)> real{"writev"};
    return moved(
        fd, [&] { return serve_write(fd, parts, count, kAtPosition); }, [&] { return real(fd, parts, count); });
}

IO_DOOR(ssize_t, pwrite, int fd, const void* buffer, std::size_t bytes, off_t at) {
    static constinit Real<ssize_t(int, const void*, std::size_t, off_t)> real{"pwrite"};
    if (at < 0) return real(fd, buffer, bytes, at);
    const iovec whole = part(buffer, bytes);
    return moved(
        fd, [&] { return serve_write(fd, &whole, 1, at); }, [&] { return real(fd, buffer, bytes, at); });
}
IO_SAME_DOOR(pwrite64, pwrite);

IO_DOOR(ssize_t, pwritev, int fd, const iovec* parts, int count, off_t at) {
    static constinit Real<ssize_t(int, const iovec*, int, off_t)> real{"pwritev"};
    if (at < 0) return real(fd, parts, count, at);
    return moved(
        fd, [&] { return serve_write(fd, parts, count, at); }, [&] { return real(fd, parts, count, at); });
}
IO_SAME_DOOR(pwritev64, pwritev);

IO_DOOR(ssize_t, pwritev2, int fd, const iovec* parts, int count, off_t at, int flags) {
    static constinit Real<ssize_t(int, const iovec*, int, off_t, int)> real{"pwritev2"};
    if (flags != 0) stop_caching_descriptor(fd);
    return moved(
        fd, [&] { return serve_write(fd, parts, count, at); }, [&] { return real(fd, parts, count, at, flags); });
}
IO_SAME_DOOR(pwritev64v2, pwritev2);
