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
    std::int32_t exit_code;         // valid when state is exited; 0 where it cannot be known
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
    functions = 1,     // FunctionName
    threads = 2,       // ThreadCell
    comms = 3,         // CommCell
    calls = 4,         // CallCell, one thread's own
    events = 5,        // EventRecord
    files = 6,         // FileCell
    sockets = 7,       // SocketCell
    stalls = 8,        // StallRecord
    facts = 9,         // Fact
    counters = 10,     // Counter
    timeline = 11,     // TimelineRecord, a ring
    flow = 12,         // FlowCell
    io_cache = 13,     // IoCacheCell, one
    io_sizes = 14,     // IoSizeCell
    outputs = 15,      // OutputCell
    flow_trials = 16,  // FlowTrial
    activities = 17,   // ActivityCell
    readings = 18,     // Reading
    open_calls = 19,   // OpenCall
    thread_uses = 20,  // ThreadUse
    concurrency = 21,  // ConcurrencyCell
    teams = 22,        // TeamCell
    threads_at = 23,   // ThreadsReading
    mpi_files = 24,    // MpiFileCell
};

struct SegmentEntry {
    SegmentKind kind;
    std::uint16_t element_bytes;
    std::uint32_t thread;    // the thread's index for kind `calls`, else 0
    std::uint64_t offset;    // from the start of the file; a multiple of 4096
    std::uint32_t capacity;  // elements that fit
    std::uint32_t count;     // elements valid (for the ring: min(written, capacity) by the reader)
};

// What a function is to the ledger.
enum class FunctionClass : std::uint16_t {
    send = 1,     // point to point, data leaves
    receive = 2,  // point to point, data arrives
    send_receive = 3,
    start = 4,             // MPI_Isend, MPI_Irecv, MPI_Start…: returns at once
    wait = 5,              // MPI_Wait family
    poll = 6,              // MPI_Test and MPI_Iprobe families: return at once
    probe = 7,             // MPI_Probe, MPI_Mprobe: block
    collective = 8,        // blocking collective
    collective_start = 9,  // MPI_Iallreduce…
    one_sided = 10,
    communicator = 11,  // creation and destruction of communicators, groups, topologies
    mpi_io = 12,
    life = 13,            // MPI_Init, MPI_Finalize
    local = 14,           // never communicates
    file_operation = 20,  // libc's read, write, …: only in the timeline
};

// Names travel with the file, so that a reader needs no table of ours. `id` is what the other elements name.
struct FunctionName {
    std::uint16_t id;
    FunctionClass function_class;
    char name[60];
};

// One per thread that made a recorded call. Times of the main thread make the rank's ledger.
struct ThreadCell {
    std::uint32_t tid;
    std::uint32_t is_main;  // the thread that called MPI_Init (or main() where there is no MPI)
    std::uint64_t first_ticks;
    std::uint64_t io_ticks;             // inside libc's file functions, outside MPI
    std::uint64_t run_delay_ns;         // runnable, but not running, since first_ticks (/proc/thread-self/schedstat)
    std::uint64_t run_delay_in_mpi_ns;  // the part of it that fell into MPI calls
    std::uint64_t run_delay_in_io_ns;
    std::uint64_t cpu_ns;              // CLOCK_THREAD_CPUTIME_ID, newest reading
    std::uint64_t cpu_in_mpi_ns;       // the part of it that was spent in MPI calls long enough to be measured
    std::uint64_t blocked_outside_ns;  // neither running nor runnable, outside MPI and file functions
    std::uint64_t call_entry_ticks;    // of the call it is in now
    std::uint32_t call_function;       // id of the call it is in now; 0: none
    std::uint32_t io_depth;            // not 0 while inside a file function
    std::uint64_t sampled_ticks;       // when the figures of the kernel above were last read
};

struct CommCell {
    std::uint16_t index;  // what calls and events name
    std::uint16_t flags;  // bit 0: inter-communicator, bit 1: freed
    std::uint32_t size;
    std::int32_t my_rank;
    std::uint32_t remote_size;  // of an inter-communicator
    std::uint64_t id;           // equal in every member process: hash of the members and of an ordinal among equals
    char name[40];              // MPI_COMM_WORLD, or MPI_Comm_set_name's at first sight
};

inline constexpr std::int32_t kPeerNone = -1;   // the call has no peer and no root
inline constexpr std::int32_t kPeerAny = -2;    // MPI_ANY_SOURCE
inline constexpr std::int32_t kPeerOther = -3;  // the table was full: folded into one cell
inline constexpr std::int32_t kPeerNull = -4;   // MPI_PROC_NULL

// Size bin b holds calls of n bytes with b == 0 for n == 0, else 2^(b-1) <= n < 2^b.
struct CallCell {
    std::uint16_t function;
    std::uint16_t comm;
    std::int32_t peer;  // rank in MPI_COMM_WORLD, or a kPeer constant
    std::uint8_t size_bin;
    std::uint8_t reserved[3];
    std::uint32_t thread;
    std::uint64_t count;
    std::uint64_t ticks;
    std::uint64_t bytes;  // sent by this process; for receives: received
    std::uint64_t min_ticks;
    std::uint64_t max_ticks;
    std::uint64_t run_delay_ns;  // of the calls long enough to be measured
};

enum class EventKind : std::uint16_t {
    collective = 1,  // entry and exit of a blocking collective; seq counts collectives of this communicator
    send = 2,        // a message was started at entry_ticks; seq counts messages to (peer, tag) here
    receive = 3,     // the call that completed the receive; seq counts messages from (peer, tag) here
    posted = 4,      // the call that posted the receive of that seq, where another call completes it
    started = 5,     // the call that started a collective another call completes; seq as of collective. tag: of a
                     // persistent one, how often it had been started before
    completed = 6,   // the call that completed it; seq and tag as there
    probed = 7,      // the call that found the message of that seq there to be received
    begun = 8,       // MPI_Init: what it says of the time before it is of the process's beginning
    one_sided = 9,   // a lock, unlock, flush or the like of a window, or a transfer that took long; peer: the target
};

// A single call. The array is bounded: when it fills up, event_level rises by one, and from then on an event
// is kept only if the window of realtime in which it ended is one of the 1/2^level selected ones (the same
// windows in every process), or if it lasted longer than 10 ms * 2^level; slots of events that no longer
// qualify are written over. `commit` is written last.
struct EventRecord {
    std::uint16_t function;
    std::uint16_t comm;
    std::int32_t peer;  // world rank; for rooted collectives the root; else kPeerNone
    std::int32_t tag;
    std::uint32_t seq;
    std::uint64_t entry_ticks;
    std::uint64_t exit_ticks;
    std::uint64_t bytes;
    std::uint32_t run_delay_us;
    EventKind kind;
    std::uint16_t commit;  // kEventCommitted when whole
    // Of the time between the thread's event before and this call: what was no computing, as far as the kernel's
    // figures were read (after stretches of half a millisecond).
    std::uint32_t blocked_before_us;    // neither running nor runnable, outside MPI and file functions
    std::uint32_t io_before_us;         // in file functions
    std::uint32_t run_delay_before_us;  // runnable, but not running, outside both
    std::uint32_t reserved;
};
inline constexpr std::uint16_t kEventCommitted = 0x5a5a;
inline constexpr std::uint32_t kEventWindow_ms = 1000;
inline constexpr std::uint64_t kLongEvent_ns = 10'000'000;

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

struct SocketCell {
    std::uint16_t family;  // AF_INET or AF_INET6
    std::uint16_t local_port, peer_port;
    std::uint16_t state;                               // TCP state of the newest sample; 0 after close
    std::uint8_t local_address[16], peer_address[16];  // network order; IPv4 in the first four bytes
    std::uint64_t first_ticks, last_ticks;             // of the samples
    // struct tcp_info, newest sample (include/uapi/linux/tcp.h); zero where this kernel does not tell
    std::uint64_t bytes_sent, bytes_acked, bytes_received, bytes_retrans;
    std::uint64_t busy_time_us, rwnd_limited_us, sndbuf_limited_us, delivery_rate;
    std::uint32_t segs_out, segs_in, total_retrans, reordering;
    std::uint32_t rtt_us, rttvar_us, min_rtt_us, max_rtt_us;  // max over samples
    std::uint32_t cwnd, min_cwnd, max_cwnd, mss;              // segments; over samples
    std::uint32_t rto_us, total_rto, total_rto_recoveries, total_rto_time_ms;
    std::uint32_t send_buffer_bytes, receive_buffer_bytes;  // SO_SNDBUF, SO_RCVBUF
    std::uint32_t samples;
    std::uint32_t stalls;       // StallRecords that name this cell (also those dropped)
    std::uint64_t stall_ticks;  // their sum
    char congestion[16];
    std::uint32_t dsack_dups;    // segments that the peer had got twice (RFC 2883); ~0: a kernel before 5.0
    std::uint32_t reord_seen;    // times that segments overtook each other
    std::uint32_t delivered_ce;  // segments that a switch had marked: its queue filled
    std::uint8_t reserved[20];
};

// A connection had data in flight and heard no acknowledgement until a retransmission timeout ended it.
struct StallRecord {
    std::uint32_t socket;  // index of the SocketCell
    std::uint16_t timeouts;
    std::uint16_t heard;  // segments that came in meanwhile, and acknowledged nothing new
    std::uint64_t begin_ticks;
    std::uint64_t end_ticks;
    std::uint16_t sacked;     // segments beyond a gap that the peer has; the most of all samples (RFC 2018)
    std::uint16_t in_flight;  // segments; likewise
    // IP packets of the recorder's own, to the peer's host, which answers with a small one (sockets/echo.hpp); 0: none
    std::uint16_t passed_bytes;    // the largest that was answered
    std::uint16_t vanished_bytes;  // the smallest that was not, while smaller ones were
};

// Text and numbers that need no struct of their own. Names are dotted: "net.eth0.speed_mbit".
struct Fact {
    char name[64];
    char text[448];
};
struct Counter {
    char name[64];
    std::uint64_t first;  // at the first sample
    std::uint64_t last;   // at the newest
};

// Ring: element i of all ever written is at i % capacity; timeline_written in the header's sense is
// SegmentEntry::count, which here counts everything ever written (it wraps at 2^32). One that is being written has
// no function (0) until it is whole.
struct TimelineRecord {
    std::uint64_t entry_ticks;
    std::uint64_t exit_ticks;
    std::uint64_t bytes;
    std::uint16_t function;
    std::uint16_t comm;  // for file operations: index of the FileCell, 0xffff where unknown
    std::int32_t peer;
};

// One way of making one collective call. A communicator, an operation and a size have a trial of several ways.
struct FlowCell {
    char operation[16];        // "alltoall"
    char candidate[80];        // "own" (the MPI's), "ordered+token:12000,chunk:8000"
    std::uint64_t low_bytes;   // of the blocks, from ...
    std::uint64_t high_bytes;  // ... to; 0 where they have no size known to all ranks
    std::uint64_t calls;       // made this way
    std::uint64_t time_ns;     // of a call, on the slowest rank, when it was last measured; 0: never
    std::uint32_t trial;       // its number in this file
    std::uint32_t comm;        // likewise
    std::uint32_t ranks, hosts;
    std::uint32_t chosen;      // not 0: the way of the calls to come
    std::uint32_t challenges;  // how often, after the first trial of all, another way was tried again
};

// What it cost to find the best way.
struct FlowTrial {
    std::uint32_t trial;    // as in FlowCell
    std::uint32_t began;    // by: 0 a guess, 1 what an earlier job had found, 2 a table
    std::uint32_t is_over;  // 0: ways are still to be tried
    std::uint32_t reserved;
    std::uint64_t calls_elsewhere;  // of the trial, that went another way than the one chosen now
    std::uint64_t regret_ns;        // what they took above that one's time, as far as is known
};

// What the I/O cache did in this process. A record is `record_bytes` of a file.
struct IoCacheCell {
    std::uint64_t budget_bytes;                      // memory that it may take, or share with others of its host
    std::uint64_t record_bytes, records;             // size of one, and how many fit
    std::uint64_t peak_records;                      // the most that it held
    std::uint64_t read_records, fetched_records;     // the program asked for; of these, read from the file
    std::uint64_t written_records, stored_records;   // the program wrote; were written to the file
    std::uint64_t read_bytes, written_bytes;         // by the program
    std::uint64_t fetches, fetched_bytes, fetch_ns;  // reads of the files, and the time in them
    std::uint64_t stores, stored_bytes, store_ns;    // writes to the files, and the time in them
    std::uint64_t evicted_serial, evicted_other;     // records of files read or written in order, and of others
    std::uint64_t lookups, conflicts;                // in the hash table
    std::uint64_t files, deleted_files, left_files;  // served; deleted while served; given back to the kernel
    std::uint64_t store_errors;                      // writes to the files that failed
    char policy[16];                                 // that says what is evicted
};

// What a cache of another size would have done with the same reads and writes: a point of a curve.
struct IoSizeCell {
    std::uint64_t size_bytes;
    std::uint64_t fetched_records, stored_records;
};

// What a thread was found doing.
enum class Activity : std::uint16_t {
    running = 1,      // or ready to run
    blocked = 2,      // no more is known; object: the function of the kernel that it waits in, where that tells
    system_call = 3,  // object: its name
    sleeping = 4,
    receiving = 5,   // waits for a connection or data; object: the other end
    sending = 6,     // the other end takes no more; object: it
    accepting = 7,   // waits for somebody to connect; object: its own port
    input = 8,       // from what is no socket and no pipe; object: what it is
    lock = 9,        // object: the file
    full_pipe = 10,  // writes to it; object: "stdout", a path
    empty_pipe = 11,
    child = 12,  // waits for it to end; object: its program
    other_thread = 13,
    signal = 14,
    memory = 15,  // a page of it
    file = 16,    // reads or writes it; object: the file
};

// Where in the program that was.
enum class Place : std::uint16_t {
    outside = 1,  // neither in MPI nor in one of libc's file functions
    mpi = 2,
    file = 3,
};

// So often the main thread was found doing this, once in each period at a random moment of it.
struct ActivityCell {
    Activity activity;
    Place place;
    std::uint32_t samples;
    std::uint64_t first_ticks, last_ticks;  // of the samples
    char object[168];
};

// What the main thread's times had come to at an instant, the call that it was in included. Taken now and then by the
// sampler: a slice of the job's time lies between two of them. At most 200, of which every second one goes when there
// is no room for more. Elements move then: a reader sorts them by `ticks`, takes each instant once, and passes over
// those of ticks 0.
struct Reading {
    std::uint64_t ticks;                                // when; 0: being written
    std::uint64_t mpi_ticks, mpi_io_ticks, life_ticks;  // in MPI calls; of MPI-IO; MPI_Init, MPI_Finalize
    std::uint64_t io_ticks;                             // as in ThreadCell, as are the next two
    std::uint64_t run_delay_ns, blocked_outside_ns;
    std::uint64_t settled_ticks;  // the kernel's figures above were last read then
    std::int32_t phase;           // the number last passed to MPI_Pcontrol
    std::uint32_t phases;         // how often that was called
};

// What the process's threads had come to at an instant, taken with each Reading and thinned with them likewise.
struct ThreadsReading {
    std::uint64_t ticks;         // when; 0: being written
    std::uint64_t region_ticks;  // of the main thread in parallel regions of several threads, the one it is in included
    std::uint64_t cpu_ns;        // of all threads
};

// What ends a call.
enum class Awaits : std::uint16_t {
    message = 1,         // of `peer`
    to_be_received = 2,  // by `peer`
    collective = 3,
};

// What the main thread's call waits for, where it has been in it for a period of the sampler and more: a row for each
// message or collective that would end it; of a call for requests a first row with their number, `awaits` 0. They hold
// while `entry_ticks` is the thread's call_entry_ticks, and the thread is in a call; else they are of an older one.
struct OpenCall {
    std::uint64_t entry_ticks;  // 0: no row
    std::uint16_t function;
    std::uint16_t comm;
    std::int32_t peer;  // world rank, or a kPeer constant
    std::int32_t tag;
    std::uint32_t sequence;  // of a collective: how many this process had called on the communicator before
    std::uint32_t requests;
    Awaits awaits;
    std::uint16_t reserved;
};

enum ThreadFlags : std::uint32_t {
    kThreadGone = 1,      // it had ended at the newest look
    kThreadOfMpi = 2,     // began in MPI_Init
    kThreadOfRecord = 4,  // Clearway's own
};

// What the kernel says of one thread of the process, the main thread included, once a second.
struct ThreadUse {
    std::uint32_t tid;
    std::uint32_t flags;                    // ThreadFlags
    std::uint64_t cpu_ns, run_delay_ns;     // since it began
    std::uint64_t first_ticks, last_ticks;  // of the looks
    char name[16];
    char cpus_allowed[64];  // list, as the kernel writes it; empty: it did not fit
};

// How many of the program's other threads ran, or were ready to, while the main thread was at `place`: so many looks at
// all threads, at random moments. Nothing is counted of a program that has one thread.
struct ConcurrencyCell {
    Place place;
    std::uint16_t main_busy;  // 1: the main thread ran, or was ready to
    std::uint32_t samples;
    std::uint64_t alone;             // samples in which no other thread was busy
    std::uint64_t busy, idle;        // other threads found so, summed over the samples
    std::uint64_t idle_beside_busy;  // of the idle: while another thread, the main thread or one more, was busy
};

// What an OpenMP runtime did in one thread. Only outermost parallel regions count.
struct TeamCell {
    std::uint32_t tid;
    std::uint32_t most_threads;  // in the regions that it began
    std::uint32_t tasks;         // not 0: there are tasks, which run inside waits
    std::uint32_t size;          // threads of the region that it is the first thread of now
    std::uint64_t regions;       // that it began, of more than one thread
    std::uint64_t region_ticks;  // from their begin to their end
    std::uint64_t team_ticks;    // the same, times the threads of each
    std::uint64_t work_ticks;    // inside the bodies of regions, whoever began these, waits included
    std::uint64_t wait_ticks;    // in barriers, at the ends of loops, before critical sections, inside bodies
    std::uint64_t region_entry_ticks, body_entry_ticks;  // of what it is in now; 0: none
    std::uint64_t first_ticks, last_ticks;               // when its first region began, its newest ended
    std::uint64_t reserved[5];                           // two threads do not write to one cache line
};

// Stands before a record that is compressed as a whole, in zlib's format.
struct PackedHeader {
    char magic[8];             // kPackedMagic
    std::uint32_t byte_order;  // kByteOrder
    std::uint32_t thinning;    // events are kept in one slice out of 2^thinning, kEventSlices of them in a window
    std::uint64_t record_bytes;
};
inline constexpr char kPackedMagic[8] = {'C', 'L', 'E', 'A', 'R', 'P', 'A', 'K'};

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

static_assert(sizeof(FileHeader) <= kHeaderBytes);
static_assert(kHeaderBytes + kMaxSegments * sizeof(SegmentEntry) <= kFirstSegmentOffset);
static_assert(sizeof(SegmentEntry) == 24);
static_assert(sizeof(FunctionName) == 64);
static_assert(sizeof(ThreadCell) == 96);
static_assert(sizeof(CommCell) == 64);
static_assert(sizeof(CallCell) == 64);
static_assert(sizeof(EventRecord) == 64);
static_assert(sizeof(FileCell) == 512);
static_assert(sizeof(OutputCell) == 40);
static_assert(sizeof(SocketCell) == 256);
static_assert(sizeof(StallRecord) == 32);
static_assert(sizeof(Fact) == 512);
static_assert(sizeof(Counter) == 80);
static_assert(sizeof(TimelineRecord) == 32);
static_assert(sizeof(FlowCell) == 152);
static_assert(sizeof(FlowTrial) == 32);
static_assert(sizeof(IoCacheCell) == 208);
static_assert(sizeof(IoSizeCell) == 24);
static_assert(sizeof(ActivityCell) == 192);
static_assert(sizeof(Reading) == 72);
static_assert(sizeof(ThreadsReading) == 24);
static_assert(sizeof(OpenCall) == 32);
static_assert(sizeof(MpiFileCell) == 448);

}  // namespace clearway
