// Files, and what was done with them: through libc, and through MPI-IO. Part of a record: see layout.hpp.
#pragma once

#include <cstdint>

namespace clearway {

enum FileFlags : std::uint32_t {
    kFileDeleted = 1,  // unlinked before the process ended
    kFileWritten = 2,
    kFileRead = 4,
    kFileExisted = 8,       // was there before this process first opened it
    kFilePathCut = 16,      // path holds the end of a longer path
    kFileDirect = 32,       // O_DIRECT
    kFileSynchronous = 64,  // O_SYNC or O_DSYNC
    kFileStdio = 128,       // through stdio at least once
    kFileShared = 256,      // pipe, terminal, device: not a regular file
    kFileUnbuffered = 512,  // its stream keeps nothing back: each print is a write to the kernel
    kFileLines = 1024,      // its stream keeps back a line at most
};

struct FileCell {
    std::uint64_t opens, reads, writes, seeks, syncs, closes, metadata;  // calls
    std::uint64_t read_bytes, written_bytes, mapped_bytes;
    std::uint64_t open_ticks, read_ticks, write_ticks, seek_ticks, sync_ticks, close_ticks, metadata_ticks;
    std::uint64_t sequential_reads, sequential_writes;  // began where the previous one on the descriptor ended
    std::uint64_t extent_bytes;                         // largest offset reached
    std::uint64_t flags;                                // FileFlags
    char path[344];
};

// The part of a file that this process wrote: from `begin` to the file's extent_bytes. Only of its first files.
struct OutputCell {
    std::uint32_t file;  // index of the FileCell
    std::uint32_t reserved;
    std::uint64_t inode;         // 0: the name stood for several files
    std::uint64_t begin;         // offset of its first write
    std::uint64_t closed_bytes;  // how long the file was when this process last closed it
    std::uint64_t closed_ns;     // its mtime then; 0: not closed
};

// The locks of a file that this process asked for, be it by flock, lockf or fcntl. FileCell::metadata has them, too.
struct LockCell {
    std::uint32_t file;  // index of the FileCell
    std::uint32_t reserved;
    std::uint64_t calls;
    std::uint64_t ticks;  // until it had them
};

inline constexpr std::uint64_t kSmallRequestBytes = 1048576, kAlignedBytes = 4096;

// One file that the process opened through MPI-IO, from its opening to its close; the file functions of libc that the
// MPI called meanwhile are counted with the kind of call that they were called in.
struct MpiFileCell {
    std::uint64_t independent_reads, independent_writes, collective_reads, collective_writes;  // calls
    std::uint64_t read_bytes, written_bytes;
    std::uint64_t independent_ticks, collective_ticks;  // in these calls
    std::uint64_t opening_ticks;                        // opening, closing, setting views and sizes, syncing
    std::uint64_t independent_file_ticks, collective_file_ticks, opening_file_ticks;  // of these, in file functions
    // Reads and writes of libc that the MPI made in calls on the file: how many, their bytes, their ticks. Also of
    // these, which overlap: of less than kSmallRequestBytes; begun before the end of the one before; within a block of
    // kAlignedBytes.
    std::uint64_t requests[3], small_requests[3], backward_requests[3], misaligned_requests[3];
    char path[256];
};

static_assert(sizeof(FileCell) == 512);
static_assert(sizeof(OutputCell) == 40);
static_assert(sizeof(LockCell) == 24);
static_assert(sizeof(MpiFileCell) == 448);

}  // namespace clearway
