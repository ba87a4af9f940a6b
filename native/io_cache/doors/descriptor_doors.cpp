// Doors that end or copy descriptors: close, dup, fcntl.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "cache_doors.hpp"
#include "io_cache/files/close_and_dup.hpp"
#include "io_cache/files/kernel_descriptors.hpp"
#include "io_cache/files/locks.hpp"
#include "io_cache/files/stop_caching.hpp"

namespace clearway::io_cache {

namespace {

bool any_files() { return file_count.load(std::memory_order_relaxed) != 0; }

bool is_ours(int fd) {
    if (!any_files() || !in_own_process()) return false;
    const SharedLock shared;
    return shared && is_cache_descriptor(fd);
}

// Where the table is full, some of the descriptors may be ours.
template <class Copy>
int copy_patiently(int fd, Copy copy) {
    const int made = serve_dup(fd, -1, copy);
    if (made >= 0 || errno != EMFILE || !any_files()) return made;
    stop_caching_all();
    return serve_dup(fd, -1, copy);
}

// Programs that put a descriptor at a number of their choice may choose one of ours.
void clear_way(int fd) {
    if (is_ours(fd)) stop_caching_all();
}

void close_held(unsigned first, unsigned last) {
    if (!any_files()) return;
    stop_caching_all();
    const unsigned end = std::min(last, static_cast<unsigned>(kMostDescriptors - 1));
    for (unsigned fd = first; fd <= end; ++fd) serve_close(static_cast<int>(fd));
}

// One open file description of the kernel's stands for all that the program has, and its lease marks it O_ASYNC.
int told_flags(int kernel_flags, const OpenFile* open) {
    constexpr int kOfEach = O_ACCMODE | O_NOFOLLOW | kSettable;
    return open != nullptr ? (kernel_flags & ~(kOfEach | O_ASYNC)) | (open->flags & kOfEach) : kernel_flags;
}

OpenFile* open_behind(int fd) {
    OpenFile* open = descriptors[fd].load(std::memory_order_acquire);
    return open != nullptr && open->file != nullptr ? open : nullptr;
}

template <class Kernel>
int get_flags(Kernel& real, int fd) {
    const SharedLock shared;
    return told_flags(real(fd, F_GETFL, 0), shared ? open_behind(fd) : nullptr);
}

// What the kernel would do is done when the file leaves.
template <class Kernel>
int set_flags(Kernel& real, int fd, long flags) {
    const ExclusiveLock alone;
    OpenFile* open = alone ? open_behind(fd) : nullptr;
    if (open == nullptr) return real(fd, F_SETFL, flags);
    open->flags = (open->flags & ~kSettable) | (static_cast<int>(flags) & kSettable);
    return 0;
}

// Not everybody may set O_NOATIME.
bool can_set(long flags) { return (flags & (O_DIRECT | O_ASYNC | O_NOATIME)) == 0; }

template <class Kernel>
int control(Kernel& real, int fd, int command, long argument) {
    if (command == F_SETLK || command == F_SETLKW) note_posix_lock(fd);
    if (command == F_GETFD || command == F_SETFD) return real(fd, command, argument);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        return copy_patiently(fd, [&] { return real(fd, command, argument); });
    if (!is_cached(fd)) return real(fd, command, argument);
    if (command == F_GETFL) return get_flags(real, fd);
    if (command == F_SETFL && can_set(argument)) return set_flags(real, fd, argument);
    stop_caching_descriptor(fd);  // locks, leases, seals: others are to see the file
    return real(fd, command, argument);
}

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

// The table is told before the descriptor is closed: a moment later another thread may get the same number.
CLEARWAY_DOOR(close) {
    if (is_ours(fd)) {  // of programs that close every number there is
        errno = EBADF;
        return -1;
    }
    if (!is_cached(fd)) [[likely]]
        return CLEARWAY_REAL(close);
    const DeferSignals deferred;  // to handlers it is open or closed
    const int error = serve_close(fd);
    const int result = CLEARWAY_REAL(close);
    if (error == 0) return result;
    errno = error;
    return -1;
}

CLEARWAY_DOOR(close_range) {
    constexpr int kOnlyMark = 4;  // CLOSE_RANGE_CLOEXEC
    before_close_range(flags);
    if ((flags & kOnlyMark) == 0) close_held(first, last);
    return CLEARWAY_REAL(close_range);
}

CLEARWAY_DOOR(closefrom) {
    if (first >= 0) close_held(static_cast<unsigned>(first), ~0U);
    CLEARWAY_REAL(closefrom);
}

CLEARWAY_DOOR(dup) {
    return copy_patiently(fd, [&] { return CLEARWAY_REAL(dup); });
}

CLEARWAY_DOOR(dup2) {
    clear_way(wanted);
    return serve_dup(fd, wanted, [&] { return CLEARWAY_REAL(dup2); });
}

CLEARWAY_DOOR(dup3) {
    clear_way(wanted);
    return serve_dup(fd, wanted, [&] { return CLEARWAY_REAL(dup3); });
}

CLEARWAY_DOOR(fcntl) { return control(real::fcntl, fd, command, argument); }

// A program built against the 64-bit offset names calls this one (glibc 2.28 and newer).
CLEARWAY_DOOR(fcntl64) { return control(real::fcntl64, fd, command, argument); }
