#include "recorder/mpi/booking.hpp"

#include <algorithm>

#include "recorder/mpi/calls.hpp"
#include "recorder/timeline.hpp"

namespace clearway::recorder {

void book(Call& call, std::uint16_t comm, std::int32_t peer, Volume volume) {
    const CallKey key{call.function(), comm, peer, size_bin(volume.message_bytes)};
    CallCell* cell = find_cell(call.thread(), key);
    if (cell == nullptr) [[unlikely]]
        return;
    add_volume(*cell, volume.bytes);
    if (call.weight() == 0) return;
    add_time(*cell, call.exit() - call.entry(), call.weight(), call.run_delay_ns());
    if (timeline_on) [[unlikely]]
        record_timeline(call.function(), comm, peer, call.entry(), call.exit(), volume.bytes);
}

EventRecord event_of(const Call& call, EventKind kind, std::uint16_t comm, std::int32_t peer, std::uint64_t bytes) {
    const auto run_delay_us = static_cast<std::uint32_t>(std::min<std::uint64_t>(call.run_delay_ns() / 1000, ~0U));
    return EventRecord{call.function(), comm, peer, 0, 0, call.entry(), call.exit(), bytes, run_delay_us, kind, 0};
}

void account_plain(Call& call, std::uint64_t bytes) { book(call, kNoComm, kPeerNone, {bytes, bytes}); }

}  // namespace clearway::recorder
