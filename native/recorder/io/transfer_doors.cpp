// Doors that move bytes through a descriptor: read, write and their positioned, vectored, checked and 64-bit names.
#include <sys/uio.h>

#include "recorder/io/operations.hpp"

using namespace clearway;
using namespace clearway::recorder;

CLEARWAY_DOOR(ssize_t, read, int fd, void* buffer, std::size_t bytes) {
    static constinit Door<ssize_t(int, void*, std::size_t)> door{"read"};
    return transfer<Operation::read>(door, fd, kAtPosition, [&] { return door.real()(fd, buffer, bytes); });
}

CLEARWAY_DOOR(ssize_t, __read_chk, int fd, void* buffer, std::size_t bytes, std::size_t room) {
    static constinit Door<ssize_t(int, void*, std::size_t, std::size_t)> door{"__read_chk"};
    return transfer<Operation::read>(door, fd, kAtPosition, [&] { return door.real()(fd, buffer, bytes, room); });
}

CLEARWAY_DOOR(ssize_t, readv, int fd, const iovec* parts, int count) {
    static constinit Door<ssize_t(int, const iovec*, int)> door{"readv"};
    return transfer<Operation::read>(door, fd, kAtPosition, [&] { return door.real()(fd, parts, count); });
}

CLEARWAY_DOOR(ssize_t, pread, int fd, void* buffer, std::size_t bytes, off_t at) {
    static constinit Door<ssize_t(int, void*, std::size_t, off_t)> door{"pread"};
    return transfer<Operation::read>(door, fd, at, [&] { return door.real()(fd, buffer, bytes, at); });
}
CLEARWAY_SAME_DOOR(pread64, pread);

CLEARWAY_DOOR(ssize_t, __pread_chk, int fd, void* buffer, std::size_t bytes, off_t at, std::size_t room) {
    static constinit Door<ssize_t(int, void*, std::size_t, off_t, std::size_t)> door{"__pread_chk"};
    return transfer<Operation::read>(door, fd, at, [&] { return door.real()(fd, buffer, bytes, at, room); });
}
CLEARWAY_SAME_DOOR(__pread64_chk, __pread_chk);

CLEARWAY_DOOR(ssize_t, preadv, int fd, const iovec* parts, int count, off_t at) {
    static constinit Door<ssize_t(int, const iovec*, int, off_t)> door{"preadv"};
    return transfer<Operation::read>(door, fd, at, [&] { return door.real()(fd, parts, count, at); });
}
CLEARWAY_SAME_DOOR(preadv64, preadv);

// With offset -1 these work at the descriptor's position, which is what kAtPosition says too.
CLEARWAY_DOOR(ssize_t, preadv2, int fd, const iovec* parts, int count, off_t at, int flags) {
    static constinit Door<ssize_t(int, const iovec*, int, off_t, int)> door{"preadv2"};
    return transfer<Operation::read>(door, fd, at, [&] { return door.real()(fd, parts, count, at, flags); });
}
CLEARWAY_SAME_DOOR(preadv64v2, preadv2);

CLEARWAY_DOOR(ssize_t, write, int fd, const void* buffer, std::size_t bytes) {
    static constinit Door<ssize_t(int, const void*, std::size_t)> door{"write"};
    return transfer<Operation::write>(door, fd, kAtPosition, [&] { return door.real()(fd, buffer, bytes); });
}

CLEARWAY_DOOR(ssize_t, writev, int fd, const iovec* parts, int count) {
    static constinit Door<ssize_t(int, const iovec*, int)> door{"writev"};
    return transfer<Operation::write>(door, fd, kAtPosition, [&] { return door.real()(fd, parts, count); });
}

CLEARWAY_DOOR(ssize_t, pwrite, int fd, const void* buffer, std::size_t bytes, off_t at) {
    static constinit Door<ssize_t(int, const void*, std::size_t, off_t)> door{"pwrite"};
    return transfer<Operation::write>(door, fd, at, [&] { return door.real()(fd, buffer, bytes, at); });
}
CLEARWAY_SAME_DOOR(pwrite64, pwrite);

CLEARWAY_DOOR(ssize_t, pwritev, int fd, const iovec* parts, int count, off_t at) {
    static constinit Door<ssize_t(int, const iovec*, int, off_t)> door{"pwritev"};
    return transfer<Operation::write>(door, fd, at, [&] { return door.real()(fd, parts, count, at); });
}
CLEARWAY_SAME_DOOR(pwritev64, pwritev);

CLEARWAY_DOOR(ssize_t, pwritev2, int fd, const iovec* parts, int count, off_t at, int flags) {
    static constinit Door<ssize_t(int, const iovec*, int, off_t, int)> door{"pwritev2"};
    return transfer<Operation::write>(door, fd, at, [&] { return door.real()(fd, parts, count, at, flags); });
}
CLEARWAY_SAME_DOOR(pwritev64v2, pwritev2);
