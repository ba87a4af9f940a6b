#include "io_cache/store/backing.hpp"

#include <cerrno>
#include <cstring>

namespace clearway::io_cache {

namespace {

using Call = ssize_t (*)(void*, const iovec*, int, off_t);

void skip(iovec*& pieces, int& count, std::size_t bytes) {
    while (count > 0 && bytes >= pieces->iov_len) {
        bytes -= pieces->iov_len;
        ++pieces, --count;
    }
    if (count == 0) return;
    pieces->iov_base = static_cast<std::byte*>(pieces->iov_base) + bytes;
    pieces->iov_len -= bytes;
}

// Stops early where a call fails, or moves nothing; `pieces` and `count` are then what is left.
Moved move_all(Call call, void* context, iovec*& pieces, int& count, off_t offset) {
    Moved moved;
    skip(pieces, count, 0);
    while (count > 0) {
        const ssize_t now = call(context, pieces, count, offset + static_cast<off_t>(moved.bytes));
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) moved.error = errno;
        if (now <= 0) break;
        moved.bytes += static_cast<std::size_t>(now);
        skip(pieces, count, static_cast<std::size_t>(now));
    }
    return moved;
}

}  // namespace

Moved read_all(const Backing& backing, iovec* pieces, int count, off_t offset) {
    Moved moved = move_all(backing.preadv, backing.context, pieces, count, offset);
    if (moved.error != 0) return moved;
    for (; count > 0; ++pieces, --count) {
        std::memset(pieces->iov_base, 0, pieces->iov_len);
        moved.bytes += pieces->iov_len;
    }
    return moved;
}

Moved write_all(const Backing& backing, iovec* pieces, int count, off_t offset) {
    Moved moved = move_all(backing.pwritev, backing.context, pieces, count, offset);
    if (count > 0 && moved.error == 0) moved.error = ENOSPC;  // a call that writes nothing, and does not say why
    return moved;
}

}  // namespace clearway::io_cache
