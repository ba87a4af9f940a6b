// Doors that end, copy or make descriptors: close, dup, fcntl, and those whose descriptors are no files.
#include <fcntl.h>
#include <sys/socket.h>

#include "recorder/io/operations.hpp"
#include "recorder/sockets/sockets.hpp"

using namespace clearway;
using namespace clearway::recorder;

// The table is told before the descriptor is closed: a moment later another thread may get the same number.
CLEARWAY_DOOR(close) {
    if (!recording || static_cast<unsigned>(fd) >= kMostDescriptors) return CLEARWAY_REAL(close);
    Descriptor& descriptor = descriptors[fd];
    FileCell* cell = descriptor.cell.load(std::memory_order_relaxed);
    if (cell == nullptr || !in_own_process()) return CLEARWAY_REAL(close);
    const std::uint16_t index = descriptor.index.load(std::memory_order_relaxed);
    if (cell == &not_a_file) socket_closing(fd);
    forget_descriptor(fd);
    ThreadState* thread = cell != &not_a_file ? recordable_thread() : nullptr;
    if (thread == nullptr) return CLEARWAY_REAL(close);
    const std::uint64_t entry = enter_door(*thread);
    const int result = CLEARWAY_REAL(close);
    output_closed(index, *cell);
    const std::uint64_t exit = leave_door(*thread, entry);
    book<FileOperation::close>(cell, exit - entry);
    show_on_timeline(real::close, index, entry, exit, 0);
    return result;
}

CLEARWAY_DOOR(close_range) {
    constexpr int kOnlyMark = 4;  // CLOSE_RANGE_CLOEXEC
    if (recording && (flags & kOnlyMark) == 0 && in_own_process()) forget_descriptors(first, last);
    return CLEARWAY_REAL(close_range);
}

CLEARWAY_DOOR(closefrom) {
    if (recording && first >= 0 && in_own_process()) forget_descriptors(static_cast<unsigned>(first), ~0U);
    CLEARWAY_REAL(closefrom);
}

namespace clearway::recorder {
namespace {

int copied(int from, int to) {
    if (recording && to >= 0 && in_own_process()) copy_descriptor(from, to);
    return to;
}

int opened_elsewhere(int fd, int socket_type = 0) {
    if (recording && fd >= 0 && in_own_process()) mark_not_a_file(fd, socket_type);
    return fd;
}

int both_opened_elsewhere(int result, const int* both) {
    if (result == 0)
        for (const int fd : {both[0], both[1]}) opened_elsewhere(fd);
    return result;
}

bool duplicates(int command) { return command == F_DUPFD || command == F_DUPFD_CLOEXEC; }

bool locks(int command) {
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

// Locks first: nobody waits for the others.
[[gnu::always_inline]] inline int control(Real<int(int, int, long)>& function, int fd, int command, long argument) {
    if (locks(command))
        return operate<FileOperation::lock>(function, fd, [&] { return function(fd, command, argument); });
    if (duplicates(command)) return copied(fd, function(fd, command, argument));
    return function(fd, command, argument);
}

}  // namespace
}  // namespace clearway::recorder

CLEARWAY_DOOR(dup) { return copied(fd, CLEARWAY_REAL(dup)); }
CLEARWAY_DOOR(dup2) { return copied(fd, CLEARWAY_REAL(dup2)); }
CLEARWAY_DOOR(dup3) { return copied(fd, CLEARWAY_REAL(dup3)); }
CLEARWAY_DOOR(fcntl) { return control(real::fcntl, fd, command, argument); }
// A program built against the 64-bit offset names calls this one (glibc 2.28 and newer).
CLEARWAY_DOOR(fcntl64) { return control(real::fcntl64, fd, command, argument); }

CLEARWAY_DOOR(socket) { return opened_elsewhere(CLEARWAY_REAL(socket), type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)); }
CLEARWAY_DOOR(socketpair) { return both_opened_elsewhere(CLEARWAY_REAL(socketpair), both); }
CLEARWAY_DOOR(pipe) { return both_opened_elsewhere(CLEARWAY_REAL(pipe), both); }
CLEARWAY_DOOR(pipe2) { return both_opened_elsewhere(CLEARWAY_REAL(pipe2), both); }
