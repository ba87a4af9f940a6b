// Doors that make descriptors of other kinds, and streams. Where the cache's own lie below the program's limit and the
// table is full, files leave the cache, and the program has their places.
#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>

#include "cache_doors.hpp"
#include "io_cache/files/stop_caching.hpp"
#include "io_cache/files/stream_numbers.hpp"

namespace clearway::io_cache {

namespace {

bool is_crowded() { return errno == EMFILE && file_count.load(std::memory_order_relaxed) != 0; }

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

#define CLEARWAY_CROWDED_DOOR(name, failed)                  \
    CLEARWAY_DOOR(name) {                                    \
        auto made = CLEARWAY_REAL(name);                     \
        if (made == (failed) && is_crowded()) [[unlikely]] { \
            stop_caching_all();                              \
            made = CLEARWAY_REAL(name);                      \
        }                                                    \
        return made;                                         \
    }

CLEARWAY_CROWDED_DOOR(socket, -1)
CLEARWAY_CROWDED_DOOR(socketpair, -1)
CLEARWAY_CROWDED_DOOR(accept, -1)
CLEARWAY_CROWDED_DOOR(accept4, -1)
CLEARWAY_CROWDED_DOOR(pipe, -1)
CLEARWAY_CROWDED_DOOR(pipe2, -1)
CLEARWAY_CROWDED_DOOR(eventfd, -1)
CLEARWAY_CROWDED_DOOR(timerfd_create, -1)
CLEARWAY_CROWDED_DOOR(epoll_create, -1)
CLEARWAY_CROWDED_DOOR(epoll_create1, -1)
CLEARWAY_CROWDED_DOOR(memfd_create, -1)
CLEARWAY_CROWDED_DOOR(opendir, nullptr)

// What libc does for a stream no door sees: its file leaves in any case.
CLEARWAY_DOOR(fopen) {
    stop_caching_named(AT_FDCWD, path);
    FILE* stream = CLEARWAY_REAL(fopen);
    if (stream == nullptr && is_crowded()) {
        stop_caching_all();
        stream = CLEARWAY_REAL(fopen);
    }
    note_stream(stream);
    return stream;
}
