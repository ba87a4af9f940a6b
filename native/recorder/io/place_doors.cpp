// Doors that move within a file, make it durable, resize it, or map it into memory.
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/io/operations.hpp"

namespace clearway::recorder {
namespace {

// Reading the clock twice costs a quarter of such a call. So of those that only set a number in the kernel one in a few
// is timed, and counts for all of them, as polls are (mpi/account.hpp). SEEK_END and the others may ask a file server.
constexpr std::uint32_t kSeeksPerTiming = 7;  // odd: programs that seek in two files in turns are common

bool is_timed(ThreadState& thread, int whence) {
    return (whence != SEEK_SET && whence != SEEK_CUR) || ++thread.seeks % kSeeksPerTiming == 0;
}

// What one timed call stands for beside itself.
std::uint64_t others_too(ThreadState& thread, int whence, std::uint64_t ticks) {
    if ((whence != SEEK_SET && whence != SEEK_CUR) || ticks > checkpoint_interval_ticks) return 0;
    const std::uint64_t more = (kSeeksPerTiming - 1) * ticks;
    if (thread.mpi_depth == 0) {
        thread.cell->io_ticks += more;
        thread.inside_ticks[static_cast<unsigned>(Where::io)] += more;
    }
    return more;
}

}  // namespace
}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

CLEARWAY_DOOR(off_t, lseek, int fd, off_t offset, int whence) {
    static constinit Door<off_t(int, off_t, int)> door{"lseek"};
    if (!recording) return door.real()(fd, offset, whence);
    Descriptor* descriptor = tracked(fd);
    ThreadState* thread = descriptor != nullptr ? recordable_thread() : nullptr;
    if (thread == nullptr) return door.real()(fd, offset, whence);
    FileCell& cell = cell_of(*descriptor);
    off_t at;
    if (is_timed(*thread, whence)) {
        const std::uint64_t entry = enter_door(*thread);
        at = door.real()(fd, offset, whence);
        const std::uint64_t exit = leave_door(*thread, entry);
        add_to(cell.seek_ticks, exit - entry + others_too(*thread, whence, exit - entry));
        show_on_timeline(door, descriptor->index.load(std::memory_order_relaxed), entry, exit, 0);
    } else {
        at = door.real()(fd, offset, whence);
    }
    add_to(cell.seeks, 1);
    if (at >= 0) descriptor->position.store(static_cast<std::uint64_t>(at), std::memory_order_relaxed);
    return at;
}
CLEARWAY_SAME_DOOR(lseek64, lseek);

CLEARWAY_DOOR(int, fsync, int fd) {
    static constinit Door<int(int)> door{"fsync"};
    return operate<Operation::sync>(door, fd, [&] { return door.real()(fd); });
}

CLEARWAY_DOOR(int, fdatasync, int fd) {
    static constinit Door<int(int)> door{"fdatasync"};
    return operate<Operation::sync>(door, fd, [&] { return door.real()(fd); });
}

CLEARWAY_DOOR(int, syncfs, int fd) {
    static constinit Door<int(int)> door{"syncfs"};
    return operate<Operation::sync>(door, fd, [&] { return door.real()(fd); });
}

CLEARWAY_DOOR(int, sync_file_range, int fd, off_t offset, off_t bytes, unsigned flags) {
    static constinit Door<int(int, off_t, off_t, unsigned)> door{"sync_file_range"};
    return operate<Operation::sync>(door, fd, [&] { return door.real()(fd, offset, bytes, flags); });
}

// Of what file, only the kernel knows: the time counts as file time, in no cell.
CLEARWAY_DOOR(int, msync, void* address, std::size_t bytes, int flags) {
    static constinit Door<int(void*, std::size_t, int)> door{"msync"};
    return operate_on_path<Operation::sync>(
        door, [&] { return door.real()(address, bytes, flags); }, [](int) { return File{}; });
}

CLEARWAY_DOOR(int, ftruncate, int fd, off_t bytes) {
    static constinit Door<int(int, off_t)> door{"ftruncate"};
    return operate<Operation::metadata>(door, fd, [&] { return door.real()(fd, bytes); });
}
CLEARWAY_SAME_DOOR(ftruncate64, ftruncate);

CLEARWAY_DOOR(int, fallocate, int fd, int mode, off_t offset, off_t bytes) {
    static constinit Door<int(int, int, off_t, off_t)> door{"fallocate"};
    return operate<Operation::metadata>(door, fd, [&] { return door.real()(fd, mode, offset, bytes); });
}
CLEARWAY_SAME_DOOR(fallocate64, fallocate);

CLEARWAY_DOOR(int, posix_fallocate, int fd, off_t offset, off_t bytes) {
    static constinit Door<int(int, off_t, off_t)> door{"posix_fallocate"};
    return operate<Operation::metadata>(door, fd, [&] { return door.real()(fd, offset, bytes); });
}
CLEARWAY_SAME_DOOR(posix_fallocate64, posix_fallocate);

// The time that a mapped file costs is spent in page faults, which no door sees: only the length is kept.
CLEARWAY_DOOR(void*, mmap, void* address, std::size_t bytes, int protection, int flags, int fd, off_t offset) {
    static constinit Door<void*(void*, std::size_t, int, int, int, off_t)> door{"mmap"};
    void* mapped = door.real()(address, bytes, protection, flags, fd, offset);
    if (recording && fd >= 0 && (flags & MAP_ANONYMOUS) == 0 && mapped != MAP_FAILED && thread_state.io_depth == 0)
        if (Descriptor* descriptor = tracked(fd)) add_to(cell_of(*descriptor).mapped_bytes, bytes);
    return mapped;
}
CLEARWAY_SAME_DOOR(mmap64, mmap);
