#include "recorder/io/descriptors.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/borrowed.hpp"
#include "recorder/process.hpp"
#include "recorder/thread.hpp"

namespace clearway::recorder {

constinit Descriptor descriptors[kMostDescriptors];
constinit FileCell not_a_file{};

namespace {

// The kernel's name for an open file: absolute, no links in it, " (deleted)" after it if it is unlinked.
bool path_of(int fd, char* path, std::size_t size, bool& deleted) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, size - 1);
    if (length <= 0 || path[0] != '/') return false;
    path[length] = '\0';
    constexpr char kDeleted[] = " (deleted)";
    constexpr long kDeletedLength = sizeof kDeleted - 1;
    deleted = length > kDeletedLength && std::strcmp(path + length - kDeletedLength, kDeleted) == 0;
    if (deleted) path[length - kDeletedLength] = '\0';
    return true;
}

// The file's birth, ns of realtime; 0 where the file system does not keep it.
std::uint64_t birth_ns(int fd) {
    struct statx status {};
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0) return 0;
    if ((status.stx_mask & STATX_BTIME) == 0) return 0;
    return static_cast<std::uint64_t>(status.stx_btime.tv_sec) * 1'000'000'000U + status.stx_btime.tv_nsec;
}

bool existed_before(int fd, int open_flags, std::uint64_t began_ns, const struct stat& status) {
    if ((open_flags & O_CREAT) == 0) return true;
    if ((open_flags & O_EXCL) != 0) return false;
    const std::uint64_t born_ns = birth_ns(fd);
    return born_ns != 0 ? born_ns < began_ns : status.st_size > 0;
}

std::uint64_t flags_of(int open_flags, const struct stat& status) {
    std::uint64_t flags = 0;
    if ((open_flags & O_DIRECT) != 0) flags |= kFileDirect;
    if ((open_flags & O_DSYNC) != 0) flags |= kFileSynchronous;  // O_SYNC contains it
    if (!S_ISREG(status.st_mode)) flags |= kFileShared;
    return flags;
}

// The type first: what it says holds only of what is no file.
void set_not_a_file(Descriptor& descriptor, int socket_type) {
    descriptor.socket_type.store(socket_type, std::memory_order_relaxed);
    descriptor.cell.store(&not_a_file, std::memory_order_release);
}

bool is_null(const struct stat& status) { return S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3); }

// Standard output and error may lead into a pipe, a terminal or a connection: then they go by their own names. Whoever
// reads there may be slow, and what is printed costs time.
bool name_stream(int fd, const struct stat& status, char* path, std::size_t size) {
    if ((fd != STDOUT_FILENO && fd != STDERR_FILENO) || is_null(status)) return false;
    if (!S_ISFIFO(status.st_mode) && !S_ISCHR(status.st_mode) && !S_ISSOCK(status.st_mode)) return false;
    std::snprintf(path, size, fd == STDOUT_FILENO ? "stdout" : "stderr");
    return true;
}

bool name_of(int fd, const struct stat& status, char* path, std::size_t size, bool& deleted) {
    if (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode)) return path_of(fd, path, size, deleted);
    return name_stream(fd, status, path, size);
}

using Path = char[4096];

Descriptor* track(int fd, int open_flags, std::uint64_t began_ns, std::uint64_t flags) {
    Descriptor& descriptor = descriptors[fd];
    struct stat status {};
    Borrowed<Path> path;
    bool deleted = false;
    if (syscall(SYS_fstat, fd, &status) != 0) return nullptr;
    if (!path || !name_of(fd, status, *path, sizeof *path, deleted)) {
        set_not_a_file(descriptor, 0);
        return nullptr;
    }
    bool is_new = false;
    const File file = file_of_path(*path, &is_new);
    if (file.cell == nullptr) {
        set_not_a_file(descriptor, 0);
        return nullptr;
    }
    flags |= flags_of(open_flags, status);
    if (deleted)
        flags |= kFileDeleted;
    else
        __atomic_fetch_and(&file.cell->flags, ~std::uint64_t{kFileDeleted}, __ATOMIC_RELAXED);
    if (is_new && existed_before(fd, open_flags, began_ns, status)) flags |= kFileExisted;
    set_flags(*file.cell, flags);

    const bool append = (open_flags & O_APPEND) != 0;
    long at = 0;
    if (append)
        at = status.st_size;
    else if (began_ns == 0)
        at = std::max(0L, syscall(SYS_lseek, fd, 0L, SEEK_CUR));
    descriptor.position.store(static_cast<std::uint64_t>(at), std::memory_order_relaxed);
    descriptor.next.store(static_cast<std::uint64_t>(at), std::memory_order_relaxed);
    descriptor.index.store(file.index, std::memory_order_relaxed);
    descriptor.append.store(append, std::memory_order_relaxed);
    descriptor.cell.store(file.cell, std::memory_order_release);
    return &descriptor;
}

}  // namespace

Descriptor* look_up(int fd) {
    if (!recording || thread_state.io_depth != 0) return nullptr;
    const int saved_errno = errno;
    const InRecorder inside;
    const long open_flags = syscall(SYS_fcntl, fd, F_GETFL);
    Descriptor* descriptor = open_flags >= 0 ? track(fd, static_cast<int>(open_flags), 0, 0) : nullptr;
    errno = saved_errno;
    return descriptor;
}

Descriptor* track_opened(int fd, int open_flags, std::uint64_t began_ns, std::uint64_t flags) {
    if (static_cast<unsigned>(fd) >= kMostDescriptors) return nullptr;
    const int saved_errno = errno;
    const InRecorder inside;
    Descriptor* descriptor = track(fd, open_flags, began_ns, flags);
    errno = saved_errno;
    return descriptor;
}

void mark_not_a_file(int fd, int socket_type) {
    if (static_cast<unsigned>(fd) < kMostDescriptors) set_not_a_file(descriptors[fd], socket_type);
}

void forget_descriptor(int fd) {
    if (static_cast<unsigned>(fd) < kMostDescriptors) descriptors[fd].cell.store(nullptr, std::memory_order_relaxed);
}

void forget_descriptors(unsigned first, unsigned last) {
    const unsigned end = std::min(last, static_cast<unsigned>(kMostDescriptors - 1));
    // Only what is set is written: the pages of descriptors never used stay unmapped.
    for (unsigned fd = first; fd <= end; ++fd)
        if (descriptors[fd].cell.load(std::memory_order_relaxed) != nullptr) forget_descriptor(static_cast<int>(fd));
}

void copy_descriptor(int from, int to) {
    if (static_cast<unsigned>(to) >= kMostDescriptors || from == to) return;
    if (static_cast<unsigned>(from) >= kMostDescriptors) return forget_descriptor(to);
    constexpr auto relaxed = std::memory_order_relaxed;
    const Descriptor& source = descriptors[from];
    Descriptor& copy = descriptors[to];
    // What is no file becomes one, in this sense, as standard output: it is looked up when it is written to.
    const bool to_stream = to == STDOUT_FILENO || to == STDERR_FILENO;
    if (to_stream && source.cell.load(relaxed) == &not_a_file) return forget_descriptor(to);
    copy.position.store(source.position.load(relaxed), relaxed);
    copy.next.store(source.next.load(relaxed), relaxed);
    copy.index.store(source.index.load(relaxed), relaxed);
    copy.append.store(source.append.load(relaxed), relaxed);
    copy.socket_type.store(source.socket_type.load(relaxed), relaxed);
    copy.cell.store(source.cell.load(relaxed), std::memory_order_release);
}

bool in_own_process() { return process.file.header() != nullptr && syscall(SYS_getpid) == process.file.header()->pid; }

}  // namespace clearway::recorder
