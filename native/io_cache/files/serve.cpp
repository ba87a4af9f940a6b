#include "io_cache/files/serve.hpp"

#include <algorithm>
#include <climits>

#include "io_cache/files/counts.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/stop_caching.hpp"
#include "io_cache/files/write_back.hpp"

namespace clearway::io_cache {

namespace {

constexpr off_t kMostBytes = off_t{1} << 42;    // what every file system still has
constexpr std::size_t kMostMoved = 0x7ffff000;  // at once, as in the kernel

constexpr auto kKernels = std::nullopt;

struct Moving {
    explicit Moving(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
    ~Moving() { pthread_mutex_unlock(&mutex_); }
    pthread_mutex_t& mutex_;
};

int refused(int error) {
    errno = error;
    return -1;
}

// Bytes to move; less than 0 where the kernel would refuse.
ssize_t bytes_in(const iovec* parts, int count) {
    if (count < 0 || count > IOV_MAX) return -1;
    std::size_t bytes = 0;
    for (int i = 0; i < count; ++i) {
        if (parts[i].iov_len > SSIZE_MAX - bytes) return -1;
        bytes += parts[i].iov_len;
    }
    return static_cast<ssize_t>(std::min(bytes, kMostMoved));
}

// Calls `move(base, bytes, offset)` for each part until one falls short. The bytes moved, or -1 if the first failed.
template <class Move>
ssize_t move_parts(const iovec* parts, int count, ssize_t bytes, off_t at, Move move) {
    ssize_t moved = 0;
    for (int i = 0; i < count && moved < bytes; ++i) {
        const std::size_t wanted = std::min(parts[i].iov_len, static_cast<std::size_t>(bytes - moved));
        if (wanted == 0) continue;
        const ssize_t now = move(parts[i].iov_base, wanted, at + moved);
        if (now < 0) return moved > 0 ? moved : -1;
        moved += now;
        if (static_cast<std::size_t>(now) < wanted) break;
    }
    return moved;
}

// Of a file that was deleted some file systems (FUSE, NFS) say nothing any more: then what they said last.
std::uint64_t free_bytes_around(CachedFile& file) {
    const kernel::ErrnoGuard guard;
    struct statfs status {};
    if (syscall(SYS_fstatfs, file.fd, &status) == 0)
        note_free_bytes(file, status);
    else if (errno != ESTALE && errno != ENOENT)
        return 0;
    return file.free_bytes.load(std::memory_order_relaxed);
}

// The file system must be able to hold what we promise to write later: the disk is full when the program writes, not
// after it has closed the file. Other ranks and programs write, too.
bool has_room(CachedFile& file, off_t end) {
    constexpr off_t kStep = 16 << 20, kSpare = 64 << 20;
    constexpr off_t kTimes = 4;
    if (end <= file.room_bytes.load(std::memory_order_relaxed)) return true;
    off_t promised = end + kSpare;
    for (const CachedFile& other : files)
        if (other.id != kNoFile && other.takes_writes) promised += cache->size(other.id);
    if (free_bytes_around(file) / kTimes < static_cast<std::uint64_t>(promised)) return false;
    file.room_bytes.store(end + kStep, std::memory_order_relaxed);
    return true;
}

std::optional<ssize_t> read_served(OpenFile& open, const iovec* parts, int count, off_t at) {
    if ((open.flags & O_ACCMODE) == O_WRONLY) return refused(EBADF);
    const ssize_t bytes = bytes_in(parts, count);
    if (bytes < 0 || at > kMostBytes) return kKernels;
    CachedFile& file = *open.file;
    const ssize_t moved = move_parts(parts, count, bytes, at, [&](void* base, std::size_t wanted, off_t offset) {
        return cache->read(file.id, base, wanted, offset);
    });
    if (moved < 0) return kKernels;
    if (moved > 0 && (open.flags & O_NOATIME) == 0) note_read(file);
    counts.read_bytes.fetch_add(static_cast<std::uint64_t>(moved), std::memory_order_relaxed);
    return moved;
}

std::optional<ssize_t> write_served(OpenFile& open, const iovec* parts, int count, off_t at) {
    if ((open.flags & O_ACCMODE) == O_RDONLY) return refused(EBADF);
    CachedFile& file = *open.file;
    const ssize_t bytes = bytes_in(parts, count);
    if (bytes < 0 || !file.takes_writes || at > kMostBytes - bytes || !has_room(file, at + bytes)) return kKernels;
    const auto turn = count > 1 ? cache->turn(file.id) : Cache::Turn();  // the kernel, too, has it all or nothing
    const ssize_t moved = move_parts(parts, count, bytes, at, [&](const void* base, std::size_t wanted, off_t offset) {
        return cache->write(file.id, base, wanted, offset);
    });
    if (moved < 0) return kKernels;
    counts.written_bytes.fetch_add(static_cast<std::uint64_t>(moved), std::memory_order_relaxed);
    if (moved > 0) note_written(file);
    return moved;
}

// Pwrite, too, goes to the end of a file that is open for appending (pwrite(2), "Bugs").
std::optional<ssize_t> append_served(OpenFile& open, const iovec* parts, int count, off_t at) {
    CachedFile& file = *open.file;
    const auto turn = cache->turn(file.id);  // whoever writes or cuts meanwhile moves the end
    const off_t end = cache->size(file.id);
    const auto moved = write_served(open, parts, count, end);
    if (moved && *moved > 0 && at == kAtPosition) open.position = end + *moved;
    return moved;
}

template <class Transfer>
std::optional<ssize_t> at_place(OpenFile& open, off_t at, Transfer transfer) {
    if (at != kAtPosition) return transfer(at);
    const Moving turn(open.moving);
    const auto moved = transfer(open.position);
    if (moved && *moved > 0) open.position += *moved;
    return moved;
}

// `serve` with the open file behind `fd`; what it leaves to the kernel leaves the cache first.
template <class Serve>
auto with_open_file(int fd, Serve serve) -> decltype(serve(*static_cast<OpenFile*>(nullptr))) {
    const int saved_errno = errno;
    {
        const SharedLock shared;
        OpenFile* open = shared ? descriptors[fd].load(std::memory_order_acquire) : nullptr;
        if (open == nullptr) return kKernels;
        if (open->file != nullptr) {
            const auto served = serve(*open);
            if (served) return served;
        }
    }
    stop_caching_descriptor(fd);
    errno = saved_errno;
    return kKernels;
}

// The errno of a write-back that failed when the file left the cache; told once.
int take_error(int fd) {
    const SharedLock shared;
    OpenFile* open = shared ? descriptors[fd].load(std::memory_order_acquire) : nullptr;
    return open != nullptr ? open->error.exchange(0, std::memory_order_relaxed) : 0;
}

}  // namespace

void note_free_bytes(CachedFile& file, const struct statfs& status) {
    const auto bytes = static_cast<unsigned __int128>(status.f_bavail) * static_cast<unsigned>(status.f_bsize);
    const std::uint64_t most = UINT64_MAX;
    file.free_bytes.store(bytes < most ? static_cast<std::uint64_t>(bytes) : most, std::memory_order_relaxed);
}

std::optional<ssize_t> serve_read(int fd, const iovec* parts, int count, off_t at) {
    return with_open_file(fd, [&](OpenFile& open) -> std::optional<ssize_t> {
        if (at < kAtPosition) return refused(EINVAL);
        return at_place(open, at, [&](off_t place) { return read_served(open, parts, count, place); });
    });
}

std::optional<ssize_t> serve_write(int fd, const iovec* parts, int count, off_t at) {
    const auto served = with_open_file(fd, [&](OpenFile& open) -> std::optional<ssize_t> {
        if (at < kAtPosition) return refused(EINVAL);
        if ((open.flags & O_APPEND) != 0) {
            const Moving turn(open.moving);
            return append_served(open, parts, count, at);
        }
        return at_place(open, at, [&](off_t place) { return write_served(open, parts, count, place); });
    });
    if (served) return served;
    const int error = take_error(fd);
    return error != 0 ? std::optional<ssize_t>(refused(error)) : kKernels;
}

std::optional<off_t> serve_seek(int fd, off_t offset, int whence) {
    return with_open_file(fd, [&](OpenFile& open) -> std::optional<off_t> {
        const Moving turn(open.moving);
        off_t from = 0;
        if (whence == SEEK_CUR)
            from = open.position;
        else if (whence == SEEK_END)
            from = cache->size(open.file->id);
        else if (whence != SEEK_SET)
            return kKernels;  // SEEK_DATA, SEEK_HOLE: where the file system has its holes
        off_t to = 0;
        if (__builtin_add_overflow(from, offset, &to)) return refused(EOVERFLOW);
        if (to < 0) return refused(EINVAL);
        if (to > kMostBytes) return kKernels;
        return open.position = to;
    });
}

std::optional<int> serve_truncate(int fd, off_t bytes) {
    return with_open_file(fd, [&](OpenFile& open) -> std::optional<int> {
        if (bytes < 0 || (open.flags & O_ACCMODE) == O_RDONLY) return refused(EINVAL);
        if (!open.file->takes_writes || bytes > kMostBytes) return kKernels;
        note_written(*open.file);
        return cache->truncate(open.file->id, bytes);
    });
}

// Blocks are the file system's affair; the size is the cache's, and the file system's follows when it is written back.
std::optional<int> serve_allocate(int fd, bool keeps_size, off_t offset, off_t bytes) {
    return with_open_file(fd, [&](OpenFile& open) -> std::optional<int> {
        CachedFile& file = *open.file;
        if ((open.flags & O_ACCMODE) == O_RDONLY || !file.takes_writes) return kKernels;
        if (syscall(SYS_fallocate, file.fd, FALLOC_FL_KEEP_SIZE, offset, bytes) != 0) return -1;
        if (keeps_size || offset + bytes <= cache->size(file.id)) return 0;
        note_written(file);
        return cache->grow(file.id, offset + bytes);
    });
}

int serve_flush(int fd) {
    const auto flushed = with_open_file(fd, [&](OpenFile& open) -> std::optional<int> {
        const int error = duty(Event::is_synced, open.file->privacy) == Duty::all ? write_back(*open.file) : 0;
        return error == 0 ? 0 : refused(error);
    });
    if (flushed) return *flushed;
    const int error = take_error(fd);
    return error != 0 ? refused(error) : 0;
}

}  // namespace clearway::io_cache
