// Doors that move within a file, make it durable, resize, lock or map it into memory.
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/host/mapped_bytes.hpp"
#include "recorder/io/mappings.hpp"
#include "recorder/io/operations.hpp"

namespace clearway::recorder {
namespace {

// Reading the clock twice costs a quarter of such a call. So of those that only set a number in the kernel one in a few
// is timed, and counts for all of them, as polls are (mpi/record_calls.hpp). SEEK_END and the others may ask a file
// server.
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

CLEARWAY_DOOR(lseek) {
    if (!recording) return CLEARWAY_REAL(lseek);
    Descriptor* descriptor = tracked(fd);
    ThreadState* thread = descriptor != nullptr ? recordable_thread() : nullptr;
    if (thread == nullptr) return CLEARWAY_REAL(lseek);
    FileCell& cell = cell_of(*descriptor);
    off_t at;
    if (is_timed(*thread, whence)) {
        const std::uint64_t entry = enter_door(*thread);
        at = CLEARWAY_REAL(lseek);
        const std::uint64_t exit = leave_door(*thread, entry);
        add_to(cell.seek_ticks, exit - entry + others_too(*thread, whence, exit - entry));
        show_on_timeline(real::lseek, descriptor->index.load(std::memory_order_relaxed), entry, exit, 0);
    } else {
        at = CLEARWAY_REAL(lseek);
    }
    add_to(cell.seeks, 1);
    if (at >= 0) descriptor->position.store(static_cast<std::uint64_t>(at), std::memory_order_relaxed);
    return at;
}

CLEARWAY_OPERATION_DOOR(fsync, sync)
CLEARWAY_OPERATION_DOOR(fdatasync, sync)
CLEARWAY_OPERATION_DOOR(syncfs, sync)
CLEARWAY_OPERATION_DOOR(sync_file_range, sync)

CLEARWAY_DOOR(msync) {
    return operate_on_path<FileOperation::sync>(
        real::msync, [&] { return CLEARWAY_REAL(msync); }, [&](int) { return mapped_file(address); });
}

CLEARWAY_OPERATION_DOOR(ftruncate, metadata)
CLEARWAY_OPERATION_DOOR(fallocate, metadata)
CLEARWAY_OPERATION_DOOR(posix_fallocate, metadata)
CLEARWAY_OPERATION_DOOR(flock, lock)  // on a network file system locks wait for other nodes
CLEARWAY_OPERATION_DOOR(lockf, lock)

// Of all files that there are: the time counts as file time, in no cell.
CLEARWAY_DOOR(sync) {
    const auto call = [&] {
        CLEARWAY_REAL(sync);
        return 0;
    };
    operate_on_path<FileOperation::sync>(real::sync, call, [](int) { return File{}; });
}

// The time that a mapping costs is spent in page faults, which no door sees: only the length is kept. libc's malloc
// does not come through here: what does is the program's own doing. What is only reserved costs nothing.
CLEARWAY_DOOR(mmap) {
    void* mapped = CLEARWAY_REAL(mmap);
    if (recording && mapped != MAP_FAILED && protection != PROT_NONE && (flags & MAP_NORESERVE) == 0)
        mapped_bytes.fetch_add(bytes, std::memory_order_relaxed);
    if (recording && fd >= 0 && (flags & MAP_ANONYMOUS) == 0 && mapped != MAP_FAILED && thread_state.io_depth == 0)
        if (Descriptor* descriptor = tracked(fd)) {
            FileCell& cell = cell_of(*descriptor);
            add_to(cell.mapped_bytes, bytes);
            if ((flags & MAP_SHARED) != 0)
                note_mapping(mapped, bytes, {&cell, descriptor->index.load(std::memory_order_relaxed)});
        }
    return mapped;
}
