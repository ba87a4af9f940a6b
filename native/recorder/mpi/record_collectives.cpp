// Collectives that one call starts and another completes.
//
// The two ends of a started one are known by its number on its communicator. Of a persistent one that number is its
// initialisation's, and its starts are counted, for they come in any order.
#include "recorder/mpi/comms.hpp"
#include "recorder/mpi/events.hpp"
#include "recorder/mpi/messages.hpp"
#include "recorder/mpi/record_calls.hpp"

namespace clearway::recorder {
namespace {

void note(const Call& call, EventKind kind, std::uint16_t function, const Posted& posted, std::int32_t tag) {
    if (!keeps_event(call.since(), call.exit())) return;
    EventRecord event = event_of(call, kind, {posted.comm, posted.peer, tag, posted.sequence}, 0);
    event.function = function;
    store_event(event);
}

}  // namespace

void record_collective_start(Call& call, Arg comm, int root, Volume volume, Arg request, bool persistent) {
    CommInfo& info = comm_of(comm);
    const std::int32_t peer = root >= 0 ? world_rank(info, root) : kPeerNone;
    add_to_cell(call, info.index, peer, volume);
    const std::uint32_t sequence = __atomic_fetch_add(&info.collectives, 1, __ATOMIC_RELAXED);
    if (info.index == kNoComm || info.inter) return;
    const Posted posted{as_handle(request),
                        call.function(),
                        sequence,
                        peer,
                        persistent ? -1 : 0,
                        info.index,
                        Direction::collective,
                        persistent,
                        !persistent,
                        false,
                        true,
                        0,
                        &info};
    post(posted);
    if (!persistent) note(call, EventKind::started, call.function(), posted, 0);
}

void start_persistent_collective(const Call& call, const Posted& posted) {
    note(call, EventKind::started, static_cast<std::uint16_t>(posted.bytes), posted, posted.tag + 1);
}

void note_completed(Call& call, const Posted& posted) {
    call.note_time();
    note(call, EventKind::completed, call.function(), posted, posted.tag);
}

}  // namespace clearway::recorder
