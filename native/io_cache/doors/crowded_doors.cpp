// Doors that make descriptors of other kinds. Where the cache's own lie below the program's limit and the table is
// full, files leave the cache, and the program has their places.
#include <dirent.h>
#include <sys/socket.h>

#include <cerrno>

#include "io_cache/doors/door.hpp"
#include "io_cache/files/stop_caching.hpp"

namespace clearway::io_cache {

namespace {

bool is_crowded() { return errno == EMFILE && file_count.load(std::memory_order_relaxed) != 0; }

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

#define IO_UNWRAP(...) __VA_ARGS__
#define IO_CROWDED_DOOR(result, failed, name, parameters, arguments) \
    IO_DOOR(result, name, IO_UNWRAP parameters) {                    \
        static constinit Real<result parameters> real{#name};        \
        result made = real arguments;                                \
        if (made == (failed) && is_crowded()) [[unlikely]] {         \
            stop_caching_all();                                      \
            made = real arguments;                                   \
        }                                                            \
        return made;                                                 \
    }

IO_CROWDED_DOOR(int, -1, socket, (int family, int type, int protocol), (family, type, protocol))
IO_CROWDED_DOOR(int, -1, socketpair, (int family, int type, int protocol, int* both), (family, type, protocol, both))
IO_CROWDED_DOOR(int, -1, accept, (int fd, sockaddr* address, socklen_t* bytes), (fd, address, bytes))
IO_CROWDED_DOOR(int, -1, accept4, (int fd, sockaddr* address, socklen_t* bytes, int flags), (fd, address, bytes, flags))
IO_CROWDED_DOOR(int, -1, pipe, (int* both), (both))
IO_CROWDED_DOOR(int, -1, pipe2, (int* both, int flags), (both, flags))
IO_CROWDED_DOOR(int, -1, eventfd, (unsigned start, int flags), (start, flags))
IO_CROWDED_DOOR(int, -1, timerfd_create, (int clock, int flags), (clock, flags))
IO_CROWDED_DOOR(int, -1, epoll_create, (int count), (count))
IO_CROWDED_DOOR(int, -1, epoll_create1, (int flags), (flags))
IO_CROWDED_DOOR(int, -1, memfd_create, (const char* name, unsigned flags), (name, flags))
IO_CROWDED_DOOR(DIR*, nullptr, opendir, (const char* path), (path))
