// Doors that make descriptors of files: open, openat, creat and their checked and 64-bit names.
#include <fcntl.h>

#include <cstdarg>
#include <ctime>

#include "recorder/io/operations.hpp"

namespace clearway::recorder {
namespace {

constexpr bool takes_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

template <class Function, class Call>
int open_file(Door<Function>& door, int flags, Call call) {
    ThreadState* thread = recordable_thread();
    if (thread == nullptr || !in_own_process()) return call();
    const std::uint64_t began_ns = read_clock_ns(CLOCK_REALTIME_COARSE);
    const std::uint64_t entry = enter_door(*thread);
    const int fd = call();
    const std::uint64_t exit = leave_door(*thread, entry);
    Descriptor* descriptor = fd >= 0 ? track_opened(fd, flags, began_ns, 0) : nullptr;
    if (descriptor != nullptr) book<Operation::open>(&cell_of(*descriptor), exit - entry);
    show_on_timeline(door, descriptor != nullptr ? descriptor->index.load(std::memory_order_relaxed) : kNoFile, entry,
                     exit, 0);
    return fd;
}

}  // namespace
}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

CLEARWAY_DOOR(int, open, const char* path, int flags, ...) {
    static constinit Door<int(const char*, int, ...)> door{"open"};
    mode_t mode = 0;
    if (takes_mode(flags)) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    return open_file(door, flags, [&] { return door.real()(path, flags, mode); });
}
CLEARWAY_SAME_DOOR(open64, open);

CLEARWAY_DOOR(int, openat, int directory, const char* path, int flags, ...) {
    static constinit Door<int(int, const char*, int, ...)> door{"openat"};
    mode_t mode = 0;
    if (takes_mode(flags)) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    return open_file(door, flags, [&] { return door.real()(directory, path, flags, mode); });
}
CLEARWAY_SAME_DOOR(openat64, openat);

CLEARWAY_DOOR(int, creat, const char* path, mode_t mode) {
    static constinit Door<int(const char*, mode_t)> door{"creat"};
    return open_file(door, O_CREAT | O_WRONLY | O_TRUNC, [&] { return door.real()(path, mode); });
}
CLEARWAY_SAME_DOOR(creat64, creat);

// What _FORTIFY_SOURCE makes of open without a mode.
CLEARWAY_DOOR(int, __open_2, const char* path, int flags) {
    static constinit Door<int(const char*, int)> door{"__open_2"};
    return open_file(door, flags, [&] { return door.real()(path, flags); });
}
CLEARWAY_SAME_DOOR(__open64_2, __open_2);

CLEARWAY_DOOR(int, __openat_2, int directory, const char* path, int flags) {
    static constinit Door<int(int, const char*, int)> door{"__openat_2"};
    return open_file(door, flags, [&] { return door.real()(directory, path, flags); });
}
CLEARWAY_SAME_DOOR(__openat64_2, __openat_2);
