// Doors that move within a file, make it durable, resize it, or map it into memory.
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/io/operations.hpp"

using namespace clearway;

CLEARWAY_DOOR(off_t, lseek, int fd, off_t offset, int whence) {
    static constinit Door<off_t(int, off_t, int)> door{"lseek"};
    const off_t at = operate<Operation::seek>(door, fd, [&] { return door.real()(fd, offset, whence); });
    if (at >= 0 && recording)
        if (Descriptor* descriptor = tracked(fd))
            descriptor->position.store(static_cast<std::uint64_t>(at), std::memory_order_relaxed);
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
