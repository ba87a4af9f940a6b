// MPI calls: the functions and communicators that they name, their sums, and single ones. Part of a record: see
// layout.hpp.
#pragma once

#include <cstdint>

namespace clearway {

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
inline constexpr std::uint32_t kEventWindow_ms = 160;
inline constexpr std::uint64_t kLongEvent_ns = 10'000'000;

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

static_assert(sizeof(FunctionName) == 64);
static_assert(sizeof(CommCell) == 64);
static_assert(sizeof(CallCell) == 64);
static_assert(sizeof(EventRecord) == 64);
static_assert(sizeof(TimelineRecord) == 32);
static_assert(sizeof(OpenCall) == 32);

}  // namespace clearway
