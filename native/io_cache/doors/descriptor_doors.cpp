// Doors that end or copy descriptors: close, dup, fcntl.
#include <fcntl.h>

#include <algorithm>

#include "io_cache/doors/door.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/leave.hpp"
#include "io_cache/files/reopen.hpp"
#include "io_cache/files/transfer.hpp"

namespace clearway::io_cache {

namespace {

bool any_files() { return file_count.load(std::memory_order_relaxed) != 0; }

bool is_ours(int fd) {
    if (!any_files()) return false;
    const Shared shared;
    return shared && is_own(fd) && in_own_process();
}

// Programs that put a descriptor at a number of their choice may choose one of ours.
void clear_way(int fd) {
    if (is_ours(fd)) leave_all();
}

int copied(int from, int to) {
    const kernel::ErrnoGuard guard;
    serve_copy(from, to);
    return to;
}

void close_held(unsigned first, unsigned last) {
    if (!any_files()) return;
    leave_all();
    const unsigned end = std::min(last, static_cast<unsigned>(kMostDescriptors - 1));
    for (unsigned fd = first; fd <= end; ++fd) serve_close(static_cast<int>(fd));
}

void set_append(int fd, int flags) {
    const Alone alone;
    OpenFile* open = alone ? descriptors[fd].load(std::memory_order_relaxed) : nullptr;
    if (open != nullptr) open->flags = (open->flags & ~O_APPEND) | (flags & O_APPEND);
}

// What the program opened the file with, where ours is wider.
int told_flags(int fd, int kernel_flags) {
    const Shared shared;
    const OpenFile* open = shared ? descriptors[fd].load(std::memory_order_acquire) : nullptr;
    if (open == nullptr || open->file == nullptr) return kernel_flags;
    constexpr int kOurs = O_ACCMODE | O_APPEND;
    return (kernel_flags & ~kOurs) | (open->flags & kOurs);
}

template <class Kernel>
int control(Kernel& real, int fd, int command, long argument) {
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) return copied(fd, real(fd, command, argument));
    if (!is_held(fd) || command == F_GETFD || command == F_SETFD) return real(fd, command, argument);
    if (command == F_GETFL) return told_flags(fd, real(fd, command, argument));
    const int flags = static_cast<int>(argument);
    if (command == F_SETFL && (flags & (O_DIRECT | O_ASYNC)) == 0) {
        set_append(fd, flags);
        return real(fd, command, flags & ~O_APPEND);
    }
    leave_descriptor(fd);  // locks, leases, seals: others are to see the file
    return real(fd, command, argument);
}

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

// The table is told before the descriptor is closed: a moment later another thread may get the same number.
IO_DOOR(int, close, int fd) {
    static constinit Real<int(int)> real{"close"};
    if (is_ours(fd)) {  // of programs that close every number there is
        errno = EBADF;
        return -1;
    }
    const int error = serve_close(fd);
    const int result = real(fd);
    if (error == 0) return result;
    errno = error;
    return -1;
}

IO_DOOR(int, close_range, unsigned first, unsigned last, int flags) {
    static constinit Real<int(unsigned, unsigned, int)> real{"close_range"};
    constexpr int kOnlyMark = 4;  // CLOSE_RANGE_CLOEXEC
    if ((flags & kOnlyMark) == 0) close_held(first, last);
    return real(first, last, flags);
}

IO_DOOR(void, closefrom, int first) {
    static constinit Real<void(int)> real{"closefrom"};
    if (first >= 0) close_held(static_cast<unsigned>(first), ~0U);
    real(first);
}

IO_DOOR(int, dup, int fd) {
    static constinit Real<int(int)> real{"dup"};
    return copied(fd, real(fd));
}

IO_DOOR(int, dup2, int fd, int wanted) {
    static constinit Real<int(int, int)> real{"dup2"};
    clear_way(wanted);
    return copied(fd, real(fd, wanted));
}

IO_DOOR(int, dup3, int fd, int wanted, int flags) {
    static constinit Real<int(int, int, int)> real{"dup3"};
    clear_way(wanted);
    return copied(fd, real(fd, wanted, flags));
}

IO_DOOR(int, fcntl, int fd, int command, long argument) {
    static constinit Real<int(int, int, long)> real{"fcntl"};
    return control(real, fd, command, argument);
}

// A program built against the 64-bit offset names calls this one (glibc 2.28 and newer).
IO_DOOR(int, fcntl64, int fd, int command, long argument) {
    static constinit Real<int(int, int, long)> real{"fcntl64"};
    return control(real, fd, command, argument);
}
