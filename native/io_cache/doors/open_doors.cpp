// Doors that open files by name: open, openat, creat, mkstemp and their checked and 64-bit names.
#include <pthread.h>

#include <climits>
#include <cstdio>

#include "cache_doors.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/kernel_descriptors.hpp"
#include "io_cache/files/patterns.hpp"
#include "io_cache/files/start_caching.hpp"
#include "io_cache/files/stop_caching.hpp"

namespace clearway::io_cache {

namespace {

bool wants_memory(int directory, const char* path, int flags) {
    return serving.load(std::memory_order_relaxed) && !has_table_lock && is_servable(flags) &&
           kernel::can_read_name(directory, path) && is_chosen(directory, path);
}

// Records that are written in part must be read, and nothing but us may move the end of the file.
int widened(int flags) {
    const int access = (flags & O_ACCMODE) == O_WRONLY ? O_RDWR : flags & O_ACCMODE;
    return (flags & ~(O_ACCMODE | O_APPEND)) | access;
}

// Opens in the kernel, and learns whether the file is new. `real(flags)` is the door's own.
template <class Real>
Opened open_in_kernel(int flags, Privacy privacy, bool exists, Real real) {
    Opened opened{-1, flags, widened(flags), false, privacy};
    const bool may_create = (flags & O_CREAT) != 0 && !exists;
    if (may_create) {
        opened.fd = real(opened.kernel_flags | O_EXCL);
        opened.created = opened.fd >= 0;
        if (opened.created || errno != EEXIST || (flags & O_EXCL) != 0) return opened;
    }
    opened.fd = real(opened.kernel_flags);
    return opened;
}

// Nothing: the kernel is to open it as the program asks.
template <class Real>
std::optional<int> open_regular(int directory, const char* path, int flags, Real real) {
    pthread_testcancel();         // the file may be here, and nothing of libc's called
    const DeferSignals deferred;  // a handler that leaves by longjmp must not leave half of this behind
    Named named;
    if (const auto fd = open_cached(directory, path, flags, named)) return fd;
    if (named == Named::kernels) return {};  // to open a pipe for reading, too, is something else
    const Opened opened = open_in_kernel(flags, privacy_of(directory, path), named == Named::file, real);
    if (opened.fd < 0) {
        if (errno == EMFILE) stop_caching_all();  // some of the descriptors are ours
        return {};                                // writing may be allowed where reading is not
    }
    if (!start_caching(opened) && opened.kernel_flags != flags) reopen_with_flags(opened.fd, flags);
    return opened.fd;
}

// Where another process of the job has the file in its cache, the kernel refuses those who do not wait for it to be
// written back. To a plain program there would be nothing to wait for.
template <class Real>
int open_patiently(int directory, const char* path, int flags, Real real) {
    const int fd = real(flags);
    if (fd >= 0 || errno != EAGAIN || (flags & O_NONBLOCK) == 0 || !serving.load(std::memory_order_relaxed)) return fd;
    struct statx status {};
    const bool is_file = kernel::statx(directory, path, 0, STATX_TYPE, status) == 0 && S_ISREG(status.stx_mode);
    errno = EAGAIN;
    if (!is_file) return -1;
    const int waited = real(flags & ~O_NONBLOCK);
    if (waited >= 0)
        kernel::fcntl(waited, F_SETFL, static_cast<unsigned long>(kernel::fcntl(waited, F_GETFL)) | O_NONBLOCK);
    return waited;
}

template <class Real>
int open_chosen(int directory, const char* path, int flags, Real real) {
    const auto fd = open_regular(directory, path, flags, real);
    return fd ? *fd : real(flags);
}

bool is_nameless(int flags) { return (flags & O_TMPFILE) == O_TMPFILE; }

// O_TMPFILE: `path` is the folder, and the file is new. It may get a name later, by linkat.
template <class Real>
int open_nameless(int directory, const char* path, int flags, Real real) {
    const int lasting = flags & ~O_TMPFILE;
    char inside[PATH_MAX];
    const int length = std::snprintf(inside, sizeof inside, "%s/nameless", path);
    if (length < 0 || length >= PATH_MAX || !wants_memory(directory, inside, lasting)) return real(flags);
    const DeferSignals deferred;
    const Opened opened{real(widened(flags)), lasting, widened(lasting), true, Privacy::nameless};
    if (opened.fd < 0) return real(flags);
    if (!start_caching(opened) && opened.kernel_flags != lasting) reopen_with_flags(opened.fd, lasting);
    return opened.fd;
}

template <class Real>
int open_file(int directory, const char* path, int flags, Real kernels_real) {
    const auto real = [&](int our_flags) { return open_patiently(directory, path, our_flags, kernels_real); };
    if (is_nameless(flags) && serving.load(std::memory_order_relaxed) && kernel::can_read_name(directory, path))
        return open_nameless(directory, path, flags, real);
    if (wants_memory(directory, path, flags)) return open_chosen(directory, path, flags, real);
    before_open(directory, path, flags);
    const int fd = real(flags);
    if (fd >= 0 || errno != EMFILE || file_count.load(std::memory_order_relaxed) == 0) [[likely]]
        return fd;
    stop_caching_all();  // some of the descriptors are ours
    return real(flags);
}

// Libc finds a name for a new file. As Fortran's SCRATCH files are made. `real()` is the door's own.
template <class Real>
int make_file(const char* path, int flags, Real real) {
    const DeferSignals deferred;
    const int fd = real();
    const int all_flags = O_RDWR | flags;
    const bool appends = (flags & O_APPEND) != 0;  // so would our own writes
    if (fd >= 0 && !appends && wants_memory(AT_FDCWD, path, all_flags))
        start_caching({fd, all_flags, all_flags, true, privacy_of(AT_FDCWD, path)});
    return fd;
}

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

CLEARWAY_DOOR(open) {
    return open_file(AT_FDCWD, path, flags, [&](int our_flags) { return real::open(path, our_flags, mode); });
}

CLEARWAY_DOOR(openat) {
    return open_file(directory, path, flags,
                     [&](int our_flags) { return real::openat(directory, path, our_flags, mode); });
}

CLEARWAY_DOOR(creat) {
    constexpr int kFlags = O_CREAT | O_WRONLY | O_TRUNC;
    return open_file(AT_FDCWD, path, kFlags, [&](int our_flags) { return real::open(path, our_flags, mode); });
}

// What _FORTIFY_SOURCE makes of open without a mode.
CLEARWAY_DOOR(__open_2) {
    return open_file(AT_FDCWD, path, flags, [&](int our_flags) { return real::__open_2(path, our_flags); });
}

CLEARWAY_DOOR(__openat_2) {
    return open_file(directory, path, flags,
                     [&](int our_flags) { return real::__openat_2(directory, path, our_flags); });
}

CLEARWAY_DOOR(mkstemp) {
    return make_file(path, 0, [&] { return CLEARWAY_REAL(mkstemp); });
}

CLEARWAY_DOOR(mkostemp) {
    return make_file(path, flags, [&] { return CLEARWAY_REAL(mkostemp); });
}

CLEARWAY_DOOR(mkstemps) {
    return make_file(path, 0, [&] { return CLEARWAY_REAL(mkstemps); });
}

CLEARWAY_DOOR(mkostemps) {
    return make_file(path, flags, [&] { return CLEARWAY_REAL(mkostemps); });
}
