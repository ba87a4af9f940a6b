// The Run record, byte by byte: the one description of what a recorded process leaves behind.
//
// A Run is a directory. Each recorded process owns one file in it, `rank.<host>.<pid>.cwr`; the first
// process of each host owns `host.<host>.<job>.cwr` as well, where collectives are steered rank 0 of each
// communicator owns `flow.<host>.<pid>.cwr`, and where scratch files are kept in memory each process that has some owns
// `io.<host>.<pid>.cwr`. All have the same shape:
//
//   0                  4096                    16384
//   +------------------+-----------------------+-----------------+-----------------+ ...
//   | FileHeader       | SegmentEntry[512]     | segment         | segment         |
//   +------------------+-----------------------+-----------------+-----------------+ ...
//
// A segment is an array of fixed-size elements of one kind. Elements are appended: the element is written
// first, `SegmentEntry::count` grows after it (release order). Nothing ever moves, so the file is readable
// at every instant and after any kill. Numbers are in the byte order of the machine that wrote them
// (`byte_order` tells); text is UTF-8, padded with NUL, cut at its field's size.
//
// A record that was gathered (slurm/) is the same file with what nobody would miss left out, compressed, behind a
// PackedHeader.
//
// docs/run-format.md explains the same for people; python/clearway/run/layout.py is its mirror, and a test
// compares the two field by field. Any change here raises kVersion; a new kind of file or segment does not, since
// readers pass over kinds that they do not know.
#pragma once

#include <cstdint>

#include "run_record/layout/activity.hpp"
#include "run_record/layout/calls.hpp"
#include "run_record/layout/facts.hpp"
#include "run_record/layout/files.hpp"
#include "run_record/layout/flow.hpp"
#include "run_record/layout/io_cache.hpp"
#include "run_record/layout/profile.hpp"
#include "run_record/layout/sockets.hpp"
#include "run_record/layout/threads.hpp"

namespace clearway {

inline constexpr char kMagic[8] = {'C', 'L', 'E', 'A', 'R', 'W', 'A', 'Y'};
inline constexpr std::uint32_t kVersion = 3;
inline constexpr std::uint32_t kByteOrder = 0x01020304;
inline constexpr std::uint32_t kHeaderBytes = 4096;
inline constexpr std::uint32_t kMaxSegments = 512;
inline constexpr std::uint32_t kFirstSegmentOffset = 16384;

enum class FileKind : std::uint32_t { rank = 1, host = 2, flow = 3, io_cache = 4 };

enum class State : std::uint32_t {
    started = 1,    // the record exists, MPI_Init has not returned
    running = 2,    // between MPI_Init and MPI_Finalize (or: a program without MPI)
    finalized = 3,  // MPI_Finalize returned
    exited = 4,     // the process left through exit()
};

// The same instant on three clocks. Ticks are the time-stamp counter where it is invariant, else nanoseconds.
struct Instant {
    std::uint64_t ticks;
    std::uint64_t monotonic_ns;  // CLOCK_MONOTONIC
    std::uint64_t realtime_ns;   // CLOCK_REALTIME
};

struct FileHeader {
    char magic[8];
    std::uint32_t version;
    std::uint32_t header_bytes;  // kHeaderBytes
    std::uint32_t byte_order;    // kByteOrder
    FileKind kind;
    std::uint64_t file_bytes;  // bytes reserved on the file system so far

    std::uint32_t segment_count;  // valid SegmentEntry elements
    State state;
    std::int32_t pid;
    std::int32_t rank;              // in MPI_COMM_WORLD; -1 before MPI_Init and in host files
    std::int32_t world_size;        // 0 before MPI_Init
    std::int32_t exit_code;         // when state is exited; 0 where it cannot be known. Else -N if signal N ended it,
                                    // as the process says that started it
    std::uint32_t event_level;      // events are kept in one window out of 2^event_level, see EventRecord
    std::uint32_t event_window_ms;  // length of such a window
    std::uint64_t dropped[16];      // elements not recorded for want of room, by SegmentKind

    Instant start;         // when recording began (the process's start, as near as the library can see)
    Instant mpi_begin;     // MPI_Init returned; zeros before
    Instant mpi_end;       // MPI_Finalize was entered; zeros before
    Instant heartbeat[2];  // the newest of all: heartbeat[heartbeat_index & 1]
    std::uint64_t heartbeat_index;

    std::uint64_t process_start_monotonic_ns;  // from /proc/self/stat: when the process itself began
    char host[64];
    char boot_id[40];  // /proc/sys/kernel/random/boot_id: processes with equal ids share one clock
    char job[64];      // the same text in every process of one job
};

enum class SegmentKind : std::uint16_t {
    functions = 1,      // FunctionName
    threads = 2,        // ThreadCell
    comms = 3,          // CommCell
    calls = 4,          // CallCell, one thread's own
    events = 5,         // EventRecord
    files = 6,          // FileCell
    sockets = 7,        // SocketCell
    stalls = 8,         // StallRecord
    facts = 9,          // Fact
    counters = 10,      // Counter
    timeline = 11,      // TimelineRecord, a ring
    flow = 12,          // FlowCell
    io_cache = 13,      // IoCacheCell, one
    io_sizes = 14,      // IoSizeCell
    outputs = 15,       // OutputCell
    flow_trials = 16,   // FlowTrial
    activities = 17,    // ActivityCell
    readings = 18,      // Reading
    open_calls = 19,    // OpenCall
    thread_uses = 20,   // ThreadUse
    concurrency = 21,   // ConcurrencyCell
    teams = 22,         // TeamCell
    threads_at = 23,    // ThreadsReading
    mpi_files = 24,     // MpiFileCell
    locks = 25,         // LockCell
    cores = 26,         // CoreCell
    code_ranges = 27,   // CodeRange
    code_samples = 28,  // CodeSample
};

struct SegmentEntry {
    SegmentKind kind;
    std::uint16_t element_bytes;
    std::uint32_t thread;    // the thread's index for kind `calls`, else 0
    std::uint64_t offset;    // from the start of the file; a multiple of 4096
    std::uint32_t capacity;  // elements that fit
    std::uint32_t count;     // elements valid (for the ring: min(written, capacity) by the reader)
};

// Stands before a record that is compressed as a whole, in zlib's format.
struct PackedHeader {
    char magic[8];             // kPackedMagic
    std::uint32_t byte_order;  // kByteOrder
    std::uint32_t thinning;    // events are kept in one slice out of 2^thinning, kEventSlices of them in a window
    std::uint64_t record_bytes;
};
inline constexpr char kPackedMagic[8] = {'C', 'L', 'E', 'A', 'R', 'P', 'A', 'K'};

static_assert(sizeof(FileHeader) <= kHeaderBytes);
static_assert(kHeaderBytes + kMaxSegments * sizeof(SegmentEntry) <= kFirstSegmentOffset);
static_assert(sizeof(SegmentEntry) == 24);

}  // namespace clearway
