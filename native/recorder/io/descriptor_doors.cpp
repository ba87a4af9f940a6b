// Doors that end, copy or make descriptors: close, dup, fcntl, and those whose descriptors are no files.
#include <fcntl.h>
#include <sys/socket.h>

#include <cstdarg>

#include "recorder/io/operations.hpp"
#include "recorder/sockets/sockets.hpp"

using namespace clearway;
using namespace clearway::recorder;

// The table is told before the descriptor is closed: a moment later another thread may get the same number.
CLEARWAY_DOOR(int, close, int fd) {
    static constinit Door<int(int)> door{"close"};
    if (!recording || static_cast<unsigned>(fd) >= kMostDescriptors) return door.real()(fd);
    Descriptor& descriptor = descriptors[fd];
    FileCell* cell = descriptor.cell.load(std::memory_order_relaxed);
    if (cell == nullptr || !in_own_process()) return door.real()(fd);
    const std::uint16_t index = descriptor.index.load(std::memory_order_relaxed);
    if (cell == &not_a_file) socket_closing(fd);
    forget_descriptor(fd);
    ThreadState* thread = cell != &not_a_file ? recordable_thread() : nullptr;
    if (thread == nullptr) return door.real()(fd);
    const std::uint64_t entry = enter_door(*thread);
    const int result = door.real()(fd);
    output_closed(index, *cell);
    const std::uint64_t exit = leave_door(*thread, entry);
    book<Operation::close>(cell, exit - entry);
    show_on_timeline(door, index, entry, exit, 0);
    return result;
}

CLEARWAY_DOOR(int, close_range, unsigned first, unsigned last, int flags) {
    static constinit Door<int(unsigned, unsigned, int)> door{"close_range"};
    constexpr int kOnlyMark = 4;  // CLOSE_RANGE_CLOEXEC
    if (recording && (flags & kOnlyMark) == 0 && in_own_process()) forget_descriptors(first, last);
    return door.real()(first, last, flags);
}

CLEARWAY_DOOR(void, closefrom, int first) {
    static constinit Door<void(int)> door{"closefrom"};
    if (recording && first >= 0 && in_own_process()) forget_descriptors(static_cast<unsigned>(first), ~0U);
    door.real()(first);
}

namespace clearway::recorder {
namespace {

int copied(int from, int to) {
    if (recording && to >= 0 && in_own_process()) copy_descriptor(from, to);
    return to;
}

int opened_elsewhere(int fd) {
    if (recording && fd >= 0 && in_own_process()) mark_not_a_file(fd);
    return fd;
}

bool duplicates(int command) { return command == F_DUPFD || command == F_DUPFD_CLOEXEC; }

bool locks(int command) {
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

int control(Door<int(int, int, ...)>& door, int fd, int command, long argument) {
    if (duplicates(command)) return copied(fd, door.real()(fd, command, argument));
    if (locks(command))  // on a network file system they wait for other nodes
        return operate<Operation::metadata>(door, fd, [&] { return door.real()(fd, command, argument); });
    return door.real()(fd, command, argument);
}

}  // namespace
}  // namespace clearway::recorder

CLEARWAY_DOOR(int, dup, int fd) {
    static constinit Door<int(int)> door{"dup"};
    return copied(fd, door.real()(fd));
}

CLEARWAY_DOOR(int, dup2, int fd, int wanted) {
    static constinit Door<int(int, int)> door{"dup2"};
    return copied(fd, door.real()(fd, wanted));
}

CLEARWAY_DOOR(int, dup3, int fd, int wanted, int flags) {
    static constinit Door<int(int, int, int)> door{"dup3"};
    return copied(fd, door.real()(fd, wanted, flags));
}

CLEARWAY_DOOR(int, fcntl, int fd, int command, ...) {
    static constinit Door<int(int, int, ...)> door{"fcntl"};
    va_list rest;
    va_start(rest, command);
    const long argument = va_arg(rest, long);  // a pointer or an int: one register either way
    va_end(rest);
    return control(door, fd, command, argument);
}

// A program built against the 64-bit offset names calls this one (glibc 2.28 and newer).
CLEARWAY_DOOR(int, fcntl64, int fd, int command, ...) {
    static constinit Door<int(int, int, ...)> door{"fcntl64"};
    va_list rest;
    va_start(rest, command);
    const long argument = va_arg(rest, long);
    va_end(rest);
    return control(door, fd, command, argument);
}

CLEARWAY_DOOR(int, socket, int family, int type, int protocol) {
    static constinit Door<int(int, int, int)> door{"socket"};
    return opened_elsewhere(door.real()(family, type, protocol));
}

CLEARWAY_DOOR(int, socketpair, int family, int type, int protocol, int* pair) {
    static constinit Door<int(int, int, int, int*)> door{"socketpair"};
    const int result = door.real()(family, type, protocol, pair);
    if (result == 0) {
        opened_elsewhere(pair[0]);
        opened_elsewhere(pair[1]);
    }
    return result;
}

CLEARWAY_DOOR(int, pipe, int* pair) {
    static constinit Door<int(int*)> door{"pipe"};
    const int result = door.real()(pair);
    if (result == 0) {
        opened_elsewhere(pair[0]);
        opened_elsewhere(pair[1]);
    }
    return result;
}

CLEARWAY_DOOR(int, pipe2, int* pair, int flags) {
    static constinit Door<int(int*, int)> door{"pipe2"};
    const int result = door.real()(pair, flags);
    if (result == 0) {
        opened_elsewhere(pair[0]);
        opened_elsewhere(pair[1]);
    }
    return result;
}
