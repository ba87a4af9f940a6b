// Doors that ask for a file's attributes. Of one that is in the cache the file system may know old ones: a file that
// others may see, too, is made true first, so that what they and we are told is the same; for the others we say what
// would be true.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>

#include "cache_doors.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/table.hpp"
#include "io_cache/files/write_back.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint64_t kSecond_ns = 1'000'000'000;

enum class Told { right, correct, again };

struct Attributes {
    off_t size_bytes, unwritten_bytes;
    std::uint64_t written_ns, read_ns;  // 0: as the file system says
};

Told find_attributes(dev_t device, ino_t inode, Attributes& found) {
    if (file_count.load(std::memory_order_acquire) == 0 || !in_own_process()) return Told::right;
    const kernel::ErrnoGuard guard;
    const SharedLock shared;
    CachedFile* file = shared ? find_file(device, inode) : nullptr;
    if (file == nullptr) return Told::right;
    const off_t size_bytes = cache->size(file->id);
    found = {size_bytes, 0, file->written_ns.load(std::memory_order_relaxed),
             file->read_ns.load(std::memory_order_relaxed)};
    if (duty(Event::is_asked_for, file->privacy) != Duty::all) {
        if (found.written_ns != 0) found.unwritten_bytes = cache->unwritten_bytes(file->id, size_bytes);
        return Told::correct;
    }
    if (found.written_ns == 0 && found.read_ns == 0) return Told::right;
    return write_back(*file) == 0 ? Told::again : Told::correct;
}

constexpr unsigned kOurs = STATX_SIZE | STATX_BLOCKS | STATX_MTIME | STATX_CTIME | STATX_ATIME;

template <class Time>
void set_time(Time& time, std::uint64_t ns) {
    if (ns == 0) return;
    time.tv_sec = static_cast<decltype(time.tv_sec)>(ns / kSecond_ns);
    time.tv_nsec = static_cast<decltype(time.tv_nsec)>(ns % kSecond_ns);
}

// As if what the disk does not have yet had a place of its own there: what the program never wrote has none, and by
// that it may find out whether the file system keeps holes.
std::uint64_t blocks_of(off_t bytes) { return (static_cast<std::uint64_t>(bytes) + 4095) / 4096 * 8; }

std::uint64_t blocks_with(std::uint64_t on_disk, const Attributes& now) {
    return std::min(std::max(on_disk, blocks_of(now.size_bytes)), on_disk + blocks_of(now.unwritten_bytes));
}

Told find(const struct stat& status, Attributes& now) { return find_attributes(status.st_dev, status.st_ino, now); }

Told find(const struct statx& status, Attributes& now) {
    return find_attributes(makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino, now);
}

void correct(struct stat& status, const Attributes& now) {
    status.st_size = now.size_bytes;
    set_time(status.st_mtim, now.written_ns);
    set_time(status.st_ctim, now.written_ns);
    set_time(status.st_atim, now.read_ns);
    if (now.written_ns != 0)
        status.st_blocks = static_cast<blkcnt_t>(blocks_with(static_cast<std::uint64_t>(status.st_blocks), now));
}

void correct(struct statx& status, const Attributes& now) {
    status.stx_size = static_cast<std::uint64_t>(now.size_bytes);
    set_time(status.stx_mtime, now.written_ns);
    set_time(status.stx_ctime, now.written_ns);
    set_time(status.stx_atime, now.read_ns);
    if (now.written_ns != 0) status.stx_blocks = blocks_with(status.stx_blocks, now);
}

// What `ask()` tells, of the file as it is.
template <class Ask, class Status>
int told(Ask ask, Status* status) {
    const unsigned gone = files_gone.load(std::memory_order_acquire);
    const int result = ask();
    Attributes now;
    switch (result == 0 ? find(*status, now) : Told::right) {
        case Told::again:
            return ask();
        case Told::correct:
            correct(*status, now);
            break;
        case Told::right:  // or it was in the cache when we asked, and another thread made it leave
            return files_gone.load(std::memory_order_acquire) == gone ? result : told(ask, status);
    }
    return result;
}

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

#define CLEARWAY_ASKING_DOOR(name)                                \
    CLEARWAY_DOOR(name) {                                         \
        return told([&] { return CLEARWAY_REAL(name); }, status); \
    }

CLEARWAY_ASKING_DOOR(stat)
CLEARWAY_ASKING_DOOR(lstat)
CLEARWAY_ASKING_DOOR(fstat)
CLEARWAY_ASKING_DOOR(fstatat)
CLEARWAY_ASKING_DOOR(__xstat)
CLEARWAY_ASKING_DOOR(__lxstat)
CLEARWAY_ASKING_DOOR(__fxstat)
CLEARWAY_ASKING_DOOR(__fxstatat)
CLEARWAY_DOOR(statx) {
    const auto ask = [&] { return CLEARWAY_REAL(statx); };
    return (mask & kOurs) != 0 ? told(ask, status) : ask();
}
