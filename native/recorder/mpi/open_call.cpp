#include "recorder/mpi/open_call.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "recorder/mpi/comms.hpp"
#include "recorder/mpi/functions.hpp"
#include "recorder/mpi/messages.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint32_t kMost = 64;  // requests of one call that are looked up, and rows that are written

std::uint64_t seen_entry, described_entry;
OpenCall* rows = nullptr;

struct Description {
    OpenCall rows[kMost];
    std::uint32_t count = 0;

    void add(const OpenCall& row) {
        if (count < kMost) rows[count++] = row;
    }
};

// Only those that are known already: to ask the MPI here would be a call from a thread of ours.
const CommInfo* known_comm(Arg handle) {
    handle = as_handle(handle);
    std::uint32_t at = comm_slot(handle);
    for (std::uint32_t probes = 0; probes < kCommSlots; ++probes, at = (at + 1) & (kCommSlots - 1)) {
        const Arg found = __atomic_load_n(&comm_slots[at].handle, __ATOMIC_ACQUIRE);
        if (found == handle) return comm_slots[at].info;
        if (found == 0) break;
    }
    return nullptr;
}

void describe_requests(const OpenArguments& open, OpenCall row, Description& made) {
    // They may lie on the stack of a thread that goes on, or ends, meanwhile: the kernel reads them, and does not mind.
    Arg handles[kMost];
    const std::size_t count = std::min<std::size_t>(open.count, kMost);
    const iovec here{handles, count * sizeof(Arg)};
    const iovec there{const_cast<Arg*>(open.requests), count * sizeof(Arg)};
    row.requests = static_cast<std::uint32_t>(std::min<std::size_t>(open.count, 0xffffffff));
    made.add(row);
    if (count == 0 || process_vm_readv(getpid(), &here, 1, &there, 1, 0) != static_cast<ssize_t>(here.iov_len)) return;
    for (std::size_t i = 0; i < count; ++i) {
        Posted posted{};
        if (!look_at_posted(handles[i], posted) || !posted.active) continue;
        row.comm = posted.comm;
        row.peer = posted.peer;
        row.tag = posted.direction == Direction::collective ? 0 : posted.tag;
        row.sequence = posted.sequence;
        row.awaits = posted.direction == Direction::send      ? Awaits::to_be_received
                     : posted.direction == Direction::receive ? Awaits::message
                                                              : Awaits::collective;
        made.add(row);
    }
}

void describe(const OpenArguments& open, FunctionClass function_class, OpenCall row, Description& made) {
    if (function_class == FunctionClass::wait) return describe_requests(open, row, made);
    const CommInfo* comm = known_comm(open.comm);
    if (comm == nullptr) return made.add(row);
    row.comm = comm->index;
    row.peer = world_rank(*comm, open.peer);
    row.tag = open.tag;
    switch (function_class) {
        case FunctionClass::send:
            row.awaits = Awaits::to_be_received;
            break;
        case FunctionClass::receive:
        case FunctionClass::probe:
        case FunctionClass::send_receive:
            row.awaits = Awaits::message;
            break;
        case FunctionClass::collective:
        case FunctionClass::communicator:
            row.awaits = Awaits::collective;
            if (open.peer < 0) row.peer = kPeerNone;
            row.sequence = __atomic_load_n(&comm->collectives, __ATOMIC_RELAXED);
            break;
        default:
            break;
    }
    made.add(row);
}

void write(const Description& made, std::uint64_t entry) {
    if (rows == nullptr) {
        SegmentEntry* segment = nullptr;
        rows = static_cast<OpenCall*>(
            process.file.add_segment(SegmentKind::open_calls, sizeof(OpenCall), kMost, 0, &segment));
        if (rows == nullptr) return;
        __atomic_store_n(&segment->count, kMost, __ATOMIC_RELEASE);
    }
    for (std::uint32_t i = 0; i < kMost; ++i) {
        __atomic_store_n(&rows[i].entry_ticks, 0, __ATOMIC_RELEASE);
        if (i >= made.count) continue;
        rows[i] = made.rows[i];
        __atomic_store_n(&rows[i].entry_ticks, entry, __ATOMIC_RELEASE);
    }
}

}  // namespace

void describe_open_call() {
    const std::uint32_t main = __atomic_load_n(&main_thread, __ATOMIC_RELAXED);
    if (main >= process.threads.size()) return;
    const ThreadCell& cell = *process.threads.at(main);
    const std::uint32_t function = __atomic_load_n(&cell.call_function, __ATOMIC_RELAXED);
    const std::uint64_t entry = __atomic_load_n(&cell.call_entry_ticks, __ATOMIC_RELAXED);
    if (function == 0 || entry != seen_entry || function > wrapped_function_count) {
        seen_entry = function != 0 ? entry : 0;
        return;
    }
    if (entry == described_entry) return;
    const int saved_errno = errno;
    const OpenArguments open = open_arguments(main);
    if (open.function == function) {
        Description made;
        OpenCall row{};
        row.function = static_cast<std::uint16_t>(function);
        row.comm = kNoComm;
        row.peer = kPeerNone;
        row.sequence = kNoSequence;
        announce_function(row.function);
        describe(open, wrapped_functions[function].function_class, row, made);
        const bool same = __atomic_load_n(&cell.call_entry_ticks, __ATOMIC_RELAXED) == entry &&
                          __atomic_load_n(&cell.call_function, __ATOMIC_RELAXED) == function;
        if (same) write(made, entry);
    } else if (function <= wrapped_function_count) {
        announce_function(static_cast<std::uint16_t>(function));
    }
    described_entry = entry;
    errno = saved_errno;
}

}  // namespace clearway::recorder
