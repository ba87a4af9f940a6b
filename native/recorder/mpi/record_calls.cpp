// Calls in general; what communicators and windows do together, and one-sided transfers.
#include "recorder/mpi/record_calls.hpp"

#include <algorithm>

#include "recorder/mpi/calls.hpp"
#include "recorder/mpi/events.hpp"
#include "recorder/tick_rate.hpp"
#include "recorder/timeline.hpp"

namespace clearway::recorder {
namespace {

[[gnu::always_inline]] inline void add(const Call& call, CallCell& cell, std::uint16_t comm, std::int32_t peer,
                                       std::uint64_t bytes) {
    add_volume(cell, bytes);
    cell.ticks += call.between_polls_ticks();
    if (call.weight() == 0) return;
    add_time(cell, call.exit() - call.entry(), call.weight(), call.run_delay_ns());
    if (timeline_on) [[unlikely]]
        record_timeline(call.function(), comm, peer, call.entry(), call.exit(), bytes);
}

// Apart, so that what nearly every call does has no registers to save for it.
[[gnu::noinline]] void add_to_new_cell(const Call& call, std::uint16_t comm, std::int32_t peer, Volume volume) {
    CallCell* cell = make_cell(call.thread(), {call.function(), comm, peer, size_bin(volume.message_bytes)});
    if (cell != nullptr) add(call, *cell, comm, peer, volume.bytes);
}

}  // namespace

void synchronise(Call& call, CommInfo& info, int root, Volume volume) {
    const std::int32_t peer = root >= 0 ? world_rank(info, root) : kPeerNone;
    add_to_cell(call, info.index, peer, volume);
    const std::uint32_t sequence = __atomic_fetch_add(&info.collectives, 1, __ATOMIC_RELAXED);
    if (info.index == kNoComm || info.inter || !keeps_event(call.entry(), call.exit())) return;
    store_event(event_of(call, EventKind::collective, {info.index, peer, 0, sequence}, volume.bytes));
}

void add_to_cell(Call& call, std::uint16_t comm, std::int32_t peer, Volume volume) {
    CallCell* cell = known_cell(call.thread(), {call.function(), comm, peer, size_bin(volume.message_bytes)});
    if (cell == nullptr) [[unlikely]]
        return add_to_new_cell(call, comm, peer, volume);
    add(call, *cell, comm, peer, volume.bytes);
}

Before tell_what_was_before(ThreadState& thread, std::uint64_t sum) {
    const ThreadCell& cell = *thread.cell;
    const Told before = thread.told;
    const Told now{sum, cell.blocked_outside_ns, cell.io_ticks,
                   elapsed(cell.run_delay_in_mpi_ns + cell.run_delay_in_io_ns, cell.run_delay_ns)};
    thread.told = now;
    return {microseconds(elapsed(before.blocked_ns, now.blocked_ns)),
            microseconds(to_ns(elapsed(before.io_ticks, now.io_ticks))),
            microseconds(elapsed(before.run_delay_ns, now.run_delay_ns))};
}

void record_plain(Call& call, std::uint64_t bytes) { add_to_cell(call, kNoComm, kPeerNone, {bytes, bytes}); }

void record_collective(Call& call, Arg comm, int root, Volume volume) {
    synchronise(call, comm_of(comm), root, volume);
}

void record_new_comm(Call& call, Arg parent, Arg new_comm) {
    if (parent != 0) {
        record_collective(call, parent, -1, {0, 0});
    } else {
        add_to_cell(call, kNoComm, kPeerNone, {0, 0});
    }
    if (new_comm != 0) comm_of(new_comm);
}

void record_one_sided(Call& call, Arg window, int target, std::uint64_t bytes, bool transfers) {
    if (window == 0) return add_to_cell(call, kNoComm, kPeerNone, {bytes, bytes});
    const CommInfo& info = window_of(window);
    const std::int32_t peer = target >= 0 ? world_rank(info, target) : kPeerNone;
    add_to_cell(call, info.index, peer, {bytes, bytes});
    const bool is_brief = call.exit() - call.entry() <= checkpoint_interval_ticks;
    if (transfers && is_brief) return;
    if (info.index == kNoComm || call.weight() == 0 || !keeps_event(call.entry(), call.exit())) return;
    store_event(event_of(call, EventKind::one_sided, {info.index, peer, 0, 0}, bytes));
}

void record_fence(Call& call, Arg window) { synchronise(call, window_of(window), -1, {0, 0}); }

void record_new_window(Call& call, Arg comm, Arg window) {
    synchronise(call, comm_of(comm), -1, {0, 0});
    window_of(window);
}

std::uint64_t peers_of(Arg comm) { return comm_of(comm).size; }
std::uint64_t locals_of(Arg comm) { return comm_of(comm).local_size; }

bool is_root(Arg comm, int root) {
    const CommInfo& info = comm_of(comm);
    return info.inter ? root == abi.root : root == info.my_rank;
}

}  // namespace clearway::recorder
