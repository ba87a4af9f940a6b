// Doors that ask for a file's attributes: of one that is in the cache, the file system knows an old size.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "io_cache/doors/door.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint64_t kSecond_ns = 1'000'000'000;

struct Attributes {
    off_t size_bytes;
    std::uint64_t written_ns;  // 0: as the file system says
};

bool find_attributes(dev_t device, ino_t inode, Attributes& found) {
    if (file_count.load(std::memory_order_relaxed) == 0) return false;
    const Shared shared;
    const CachedFile* file = shared ? find_file(device, inode) : nullptr;
    if (file == nullptr) return false;
    found = {cache->size(file->id), file->written_ns.load(std::memory_order_relaxed)};
    return true;
}

void correct(struct stat& status) {
    Attributes now;
    if (!find_attributes(status.st_dev, status.st_ino, now)) return;
    status.st_size = now.size_bytes;
    if (now.written_ns == 0) return;
    status.st_mtim.tv_sec = static_cast<time_t>(now.written_ns / kSecond_ns);
    status.st_mtim.tv_nsec = static_cast<long>(now.written_ns % kSecond_ns);
    status.st_ctim = status.st_mtim;
}

void correct(struct statx& status) {
    Attributes now;
    if (!find_attributes(makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino, now)) return;
    status.stx_size = static_cast<std::uint64_t>(now.size_bytes);
    if (now.written_ns == 0) return;
    status.stx_mtime.tv_sec = static_cast<std::int64_t>(now.written_ns / kSecond_ns);
    status.stx_mtime.tv_nsec = static_cast<std::uint32_t>(now.written_ns % kSecond_ns);
    status.stx_ctime = status.stx_mtime;
}

template <class Status>
int corrected(int result, Status* status) {
    if (result == 0) correct(*status);
    return result;
}

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

#define IO_ASKING_DOOR(name, parameters, arguments)        \
    IO_DOOR(int, name, IO_UNWRAP parameters) {             \
        static constinit Real<int parameters> real{#name}; \
        return corrected(real arguments, status);          \
    }
#define IO_UNWRAP(...) __VA_ARGS__

IO_ASKING_DOOR(stat, (const char* path, struct stat* status), (path, status))
IO_SAME_DOOR(stat64, stat);
IO_ASKING_DOOR(lstat, (const char* path, struct stat* status), (path, status))
IO_SAME_DOOR(lstat64, lstat);
IO_ASKING_DOOR(fstat, (int fd, struct stat* status), (fd, status))
IO_SAME_DOOR(fstat64, fstat);
IO_ASKING_DOOR(fstatat, (int directory, const char* path, struct stat* status, int flags),
               (directory, path, status, flags))
IO_SAME_DOOR(fstatat64, fstatat);
IO_ASKING_DOOR(__xstat, (int version, const char* path, struct stat* status), (version, path, status))
IO_SAME_DOOR(__xstat64, __xstat);
IO_ASKING_DOOR(__lxstat, (int version, const char* path, struct stat* status), (version, path, status))
IO_SAME_DOOR(__lxstat64, __lxstat);
IO_ASKING_DOOR(__fxstat, (int version, int fd, struct stat* status), (version, fd, status))
IO_SAME_DOOR(__fxstat64, __fxstat);
IO_ASKING_DOOR(__fxstatat, (int version, int directory, const char* path, struct stat* status, int flags),
               (version, directory, path, status, flags))
IO_SAME_DOOR(__fxstatat64, __fxstatat);
IO_ASKING_DOOR(statx, (int directory, const char* path, int flags, unsigned mask, struct statx* status),
               (directory, path, flags, mask, status))
