// What communicators and windows do together, and one-sided transfers.
#include "recorder/mpi/account.hpp"
#include "recorder/mpi/booking.hpp"
#include "recorder/mpi/events.hpp"

namespace clearway::recorder {
namespace {

// A call that all members of a communicator or window make together.
void synchronise(Call& call, CommInfo& info, int root, Volume volume) {
    const std::int32_t peer = root >= 0 ? world_rank(info, root) : kPeerNone;
    book(call, info.index, peer, volume);
    const std::uint32_t sequence = __atomic_fetch_add(&info.collectives, 1, __ATOMIC_RELAXED);
    if (info.index == kNoComm || info.inter || !keeps_event(call.entry(), call.exit())) return;
    EventRecord event = event_of(call, EventKind::collective, info.index, peer, volume.bytes);
    event.seq = sequence;
    store_event(event);
}

}  // namespace

void account_collective(Call& call, Arg comm, int root, Volume volume) {
    synchronise(call, comm_of(comm), root, volume);
}

void account_collective_start(Call& call, Arg comm, int root, Volume volume) {
    CommInfo& info = comm_of(comm);
    book(call, info.index, root >= 0 ? world_rank(info, root) : kPeerNone, volume);
    __atomic_fetch_add(&info.collectives, 1, __ATOMIC_RELAXED);
}

void account_new_comm(Call& call, Arg parent, Arg new_comm) {
    if (parent != 0) {
        account_collective(call, parent, -1, {0, 0});
    } else {
        book(call, kNoComm, kPeerNone, {0, 0});
    }
    if (new_comm != 0) comm_of(new_comm);
}

void account_one_sided(Call& call, Arg window, int target, std::uint64_t bytes) {
    if (window == 0) return book(call, kNoComm, kPeerNone, {bytes, bytes});
    const CommInfo& info = window_of(window);
    book(call, info.index, target >= 0 ? world_rank(info, target) : kPeerNone, {bytes, bytes});
}

void account_fence(Call& call, Arg window) { synchronise(call, window_of(window), -1, {0, 0}); }

void account_new_window(Call& call, Arg comm, Arg window) {
    synchronise(call, comm_of(comm), -1, {0, 0});
    window_of(window);
}

std::uint64_t peers_of(Arg comm) { return comm_of(comm).size; }

bool is_root(Arg comm, int root) {
    const CommInfo& info = comm_of(comm);
    return info.inter ? root == abi.root : root == info.my_rank;
}

}  // namespace clearway::recorder
