// Communicators and windows: a small number for each handle, its members, its count of collectives.
#pragma once

#include <cstdint>

#include "base/hash.hpp"
#include "mpi/abi.hpp"
#include "run_record/layout.hpp"

namespace clearway::recorder {

inline constexpr std::uint16_t kNoComm = 0xffff;  // calls without a communicator, and those beyond the table

inline constexpr std::uint32_t kUnknownNeighbours = 0xffffffff;

struct CommInfo {
    Arg handle;
    std::uint16_t index;
    bool window;  // a window's group, not a communicator
    bool inter;
    std::int32_t my_rank;
    std::uint32_t size;  // of the group that peers are ranks of (inter-communicator: the remote one)
    std::uint32_t local_size;
    std::int32_t* to_world;     // [size] rank in MPI_COMM_WORLD; null: the same rank
    std::uint64_t members;      // hash of the members
    std::uint32_t collectives;  // called on it so far
    std::uint32_t neighbours;   // outgoing, of its topology
    bool sources_told;          // see describe_neighbours
    CommCell* cell;
    bool files = false;  // what these ranks do with the files that they open together
};

// Registers MPI_COMM_WORLD and MPI_COMM_SELF; fills the header's rank and size. After MPI_Init.
void begin_comms();

// Handles are looked up without a lock: a slot's info is stored before its handle.
struct CommSlot {
    Arg handle;  // 0: never used, -1: forgotten
    CommInfo* info;
};
inline constexpr std::uint32_t kCommSlots = 4096;  // power of two
extern CommSlot comm_slots [[gnu::visibility("hidden")]][kCommSlots];
inline std::uint32_t comm_slot(Arg handle) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(handle) * kGoldenRatio) >> 40) & (kCommSlots - 1);
}
CommInfo& look_up(Arg handle, bool window);

// Null where it was not seen yet.
inline CommInfo* known_comm(Arg handle) {
    handle = as_handle(handle);
    const CommSlot& slot = comm_slots[comm_slot(handle)];
    if (__atomic_load_n(&slot.handle, __ATOMIC_ACQUIRE) == handle) [[likely]]
        return slot.info;  // of handle 0 none: the slot was never used
    return nullptr;
}

// The communicator behind a handle, registered at first sight. Never null: unknown ones share one entry.
inline CommInfo& comm_of(Arg handle) {
    CommInfo* known = known_comm(handle);
    return known != nullptr ? *known : look_up(as_handle(handle), false);
}
// All files that the members of this communicator open share one entry: there may be thousands of them.
CommInfo& files_of(const CommInfo& comm);
inline CommInfo& window_of(Arg handle) { return look_up(as_handle(handle), true); }

// How many neighbours a neighbourhood collective on this communicator sends to.
std::uint32_t neighbours_of(Arg comm);

// Leaves a fact "comm.INDEX.sources": the world ranks that this one receives from in its neighbourhood collectives.
void describe_neighbours(Arg comm);

// Before MPI_Comm_free, MPI_Comm_disconnect, MPI_Win_free: the handle may come back as another one before the call
// returns. What was known of it, null where nothing was; to be remembered again where the MPI refuses, else buried.
CommInfo* forget_handle(Arg handle);
void remember_handle(CommInfo* info);
void bury(CommInfo* info);

// World rank of `peer` in `comm`, or one of the kPeer constants.
inline std::int32_t world_rank(const CommInfo& comm, int peer) {
    if (static_cast<std::uint32_t>(peer) < comm.size) [[likely]]
        return comm.to_world != nullptr ? comm.to_world[peer] : peer;
    if (peer == abi.any_source) return kPeerAny;
    return peer == abi.proc_null ? kPeerNull : kPeerNone;
}

}  // namespace clearway::recorder
