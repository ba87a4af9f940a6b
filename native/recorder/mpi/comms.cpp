#include "recorder/mpi/comms.hpp"

#include <algorithm>
#include <cstdlib>

#include "recorder/lock.hpp"
#include "recorder/mix.hpp"
#include "recorder/process.hpp"
#include "recorder/text.hpp"

namespace clearway {
namespace {

constexpr std::uint32_t kMaxComms = 1024;
constexpr Arg kForgotten = -1;

CommInfo infos[kMaxComms];
std::uint32_t info_count = 0;
CommInfo unknown{0, kNoComm, false, false, -1, 0, 0, nullptr, 0, 0, kUnknownNeighbours, nullptr};
constinit SpinLock registry_lock;

std::uint64_t hash_members(const std::int32_t* ranks, std::uint32_t count) {
    std::uint64_t hash = count;
    for (std::uint32_t i = 0; i < count; ++i) hash = mix(hash ^ static_cast<std::uint32_t>(ranks[i]));
    return hash;
}

// The group that ranks are told in: that of MPI_COMM_WORLD, or of the first communicator in a program that
// opens sessions instead. Kept, for every later communicator is translated to it.
Arg world_group = 0;

// World ranks of a group's members. calloc'd; null where the MPI refuses.
std::int32_t* world_ranks_of(Arg group, int size) {
    auto* mine = static_cast<std::int32_t*>(std::calloc(static_cast<std::size_t>(size) * 2 + 1, sizeof(std::int32_t)));
    if (mine != nullptr) {
        auto* world = mine + size;
        for (int i = 0; i < size; ++i) mine[i] = i;
        if (call_real("PMPI_Group_translate_ranks", group, size, mine, as_handle(world_group), world) == 0) {
            for (int i = 0; i < size; ++i) mine[i] = world[i] >= 0 ? world[i] : kPeerOther;
        } else {
            std::free(mine);
            mine = nullptr;
        }
    }
    return mine;
}

bool is_identity(const std::int32_t* ranks, std::uint32_t size) {
    for (std::uint32_t i = 0; i < size; ++i)
        if (ranks[i] != static_cast<std::int32_t>(i)) return false;
    return true;
}

// Fills size, to_world and members from a group, which is freed.
void take_group(CommInfo& info, Arg group, std::uint64_t& members, bool peers) {
    int size = 0;
    call_real("PMPI_Group_size", as_handle(group), &size);
    std::int32_t* ranks = world_ranks_of(as_handle(group), size);
    call_real("PMPI_Group_free", &group);
    if (ranks == nullptr) return;
    members = hash_members(ranks, static_cast<std::uint32_t>(size));
    if (!peers) {
        std::free(ranks);
        return;
    }
    info.size = static_cast<std::uint32_t>(size);
    if (is_identity(ranks, info.size)) {
        std::free(ranks);
    } else {
        info.to_world = ranks;
    }
}

void describe_comm(CommInfo& info) {
    int inter = 0, size = 0;
    call_real("PMPI_Comm_test_inter", info.handle, &inter);
    call_real("PMPI_Comm_rank", info.handle, &info.my_rank);
    call_real("PMPI_Comm_size", info.handle, &size);
    info.inter = inter != 0;
    info.local_size = static_cast<std::uint32_t>(size);
    Arg group = 0;
    if (call_real("PMPI_Comm_group", info.handle, &group) != 0) return;
    if (world_group == 0) {
        call_real("PMPI_Comm_group", info.handle, &world_group);
        process.file.header()->rank = info.my_rank;
        process.file.header()->world_size = size;
    }
    std::uint64_t local = 0, remote = 0;
    take_group(info, group, local, !info.inter);
    info.members = local;
    if (info.inter && call_real("PMPI_Comm_remote_group", info.handle, &group) == 0) {
        take_group(info, group, remote, true);
        info.members = mix(std::min(local, remote)) ^ std::max(local, remote);  // the same from both sides
    }
}

void describe_window(CommInfo& info) {
    Arg group = 0;
    if (call_real("PMPI_Win_get_group", info.handle, &group) == 0) take_group(info, group, info.members, true);
    info.local_size = info.size;
}

// Members make communicators of equal membership in the same order, so (members, ordinal) names one everywhere.
std::uint64_t shared_id(const CommInfo& info) {
    std::uint64_t ordinal = 0;
    for (std::uint32_t i = 0; i < info_count; ++i)
        if (infos[i].members == info.members && infos[i].window == info.window) ++ordinal;
    return mix(info.members ^ mix(ordinal + (info.window ? 1ULL << 32 : 0)));
}

void write_cell(CommInfo& info) {
    CommCell cell{};
    cell.index = info.index;
    cell.flags = info.inter ? 1 : 0;
    cell.size = info.local_size;
    cell.my_rank = info.my_rank;
    cell.remote_size = info.inter ? info.size : 0;
    cell.id = shared_id(info);
    char name[256] = "";
    int length = 0;
    call_real(info.window ? "PMPI_Win_get_name" : "PMPI_Comm_get_name", info.handle, name, &length);
    copy_text(cell.name, name);
    info.cell = process.comms.add(process.file, cell);
}

CommInfo& register_handle(Arg handle, bool window) {
    SpinGuard guard(registry_lock);
    std::uint32_t at = comm_slot(handle);
    std::uint32_t free_slot = kCommSlots;
    for (; comm_slots[at].handle != 0; at = (at + 1) & (kCommSlots - 1)) {
        if (comm_slots[at].handle == handle) return *comm_slots[at].info;  // another thread was first
        if (comm_slots[at].handle == kForgotten && free_slot == kCommSlots) free_slot = at;
    }
    if (free_slot == kCommSlots) free_slot = at;
    if (info_count == kMaxComms) {
        process.file.drop(SegmentKind::comms);
        return unknown;
    }
    CommInfo& info = infos[info_count];
    info = CommInfo{
        handle, static_cast<std::uint16_t>(info_count), window, false, -1, 0, 0, nullptr, 0, 0, kUnknownNeighbours,
        nullptr};
    if (window) {
        describe_window(info);
    } else {
        describe_comm(info);
    }
    write_cell(info);
    ++info_count;
    comm_slots[free_slot].info = &info;
    __atomic_store_n(&comm_slots[free_slot].handle, handle, __ATOMIC_RELEASE);
    return info;
}

}  // namespace

CommSlot comm_slots[kCommSlots];

CommInfo& look_up(Arg handle, bool window) {
    std::uint32_t at = comm_slot(handle);
    for (std::uint32_t probes = 0; probes < kCommSlots; ++probes, at = (at + 1) & (kCommSlots - 1)) {
        const Arg found = __atomic_load_n(&comm_slots[at].handle, __ATOMIC_ACQUIRE);
        if (found == handle) [[likely]]
            return *comm_slots[at].info;
        if (found == 0) break;
    }
    return handle != 0 && !(is_null_comm(handle) && !window) ? register_handle(handle, window) : unknown;
}

void begin_comms() {
    comm_of(comm_world());
    comm_of(comm_self());
}

std::uint32_t neighbours_of(Arg comm) {
    CommInfo& info = comm_of(comm);
    if (info.neighbours != kUnknownNeighbours || info.handle == 0) return info.neighbours;
    int topology = 0, first = 0, second = 0, weighted = 0;
    call_real("PMPI_Topo_test", info.handle, &topology);
    if (topology == abi.cartesian) {
        call_real("PMPI_Cartdim_get", info.handle, &first);
        second = 2 * first;
    } else if (topology == abi.graph) {
        call_real("PMPI_Graph_neighbors_count", info.handle, info.my_rank, &second);
    } else if (topology == abi.distributed_graph) {
        call_real("PMPI_Dist_graph_neighbors_count", info.handle, &first, &second, &weighted);
    }
    return info.neighbours = static_cast<std::uint32_t>(second);
}

void forget_handle(Arg handle) {
    handle = as_handle(handle);
    SpinGuard guard(registry_lock);
    std::uint32_t at = comm_slot(handle);
    for (std::uint32_t probes = 0; probes < kCommSlots && comm_slots[at].handle != 0;
         ++probes, at = (at + 1) & (kCommSlots - 1)) {
        if (comm_slots[at].handle != handle) continue;
        CommInfo& info = *comm_slots[at].info;
        if (info.cell != nullptr) info.cell->flags |= 2;
        std::free(info.to_world);
        info.to_world = nullptr;
        info.size = 0;
        __atomic_store_n(&comm_slots[at].handle, kForgotten, __ATOMIC_RELEASE);
        return;
    }
}

}  // namespace clearway
