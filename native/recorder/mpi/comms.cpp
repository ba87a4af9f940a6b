#include "recorder/mpi/comms.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "recorder/lock.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint32_t kMaxComms = 1024;
constexpr Arg kForgotten = -1;

CommInfo infos[kMaxComms];
std::uint32_t info_count = 0;
CommInfo unknown{0, kNoComm, false, false, -1, 0, 0, nullptr, 0, 0, kUnknownNeighbours, false, nullptr};
constinit SpinLock registry_lock;

std::uint64_t hash_members(const std::int32_t* ranks, std::uint32_t count) {
    std::uint64_t hash = count;
    for (std::uint32_t i = 0; i < count; ++i) hash = mix(hash ^ static_cast<std::uint32_t>(ranks[i]));
    return hash;
}

// The group that ranks are told in: that of MPI_COMM_WORLD, or, in a program that opens sessions instead, of the
// largest communicator so far: the first one may be of "mpi://SELF". Kept, for every later communicator is translated
// to it.
Arg world_group = 0;
bool world_is_final = false;  // it is MPI_COMM_WORLD's

// Ranks in the group `in` of a group's members. calloc'd; null where the MPI refuses.
std::int32_t* ranks_in(Arg in, Arg group, int size) {
    auto* mine = static_cast<std::int32_t*>(std::calloc(static_cast<std::size_t>(size) * 2 + 1, sizeof(std::int32_t)));
    if (mine != nullptr) {
        auto* world = mine + size;
        for (int i = 0; i < size; ++i) mine[i] = i;
        if (call_real("PMPI_Group_translate_ranks", group, size, mine, as_handle(in), world) == 0) {
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
    std::int32_t* ranks = ranks_in(__atomic_load_n(&world_group, __ATOMIC_ACQUIRE), as_handle(group), size);
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

std::uint64_t kind_of(const CommInfo& info) { return info.window ? 1 : info.files ? 2 : 0; }

// Members make communicators of equal membership in the same order, so (members, ordinal) names one everywhere.
std::uint64_t shared_id(const CommInfo& info) {
    std::uint64_t ordinal = 0;
    for (std::uint32_t i = 0; i < info.index; ++i)
        if (infos[i].members == info.members && kind_of(infos[i]) == kind_of(info)) ++ordinal;
    return mix(info.members ^ mix(ordinal + (kind_of(info) << 32)));
}

// Ranks that were told in a smaller world. `now` has the present rank of each of its `size` members.
void tell_anew(CommInfo& info, const std::int32_t* now, int size) {
    auto* ranks = static_cast<std::int32_t*>(std::calloc(info.size + 1, sizeof(std::int32_t)));
    if (ranks == nullptr) return;
    for (std::uint32_t i = 0; i < info.size; ++i) {
        const std::int32_t former = info.to_world != nullptr ? info.to_world[i] : static_cast<std::int32_t>(i);
        ranks[i] = former >= 0 && former < size ? now[former] : kPeerOther;
    }
    if (!info.inter) info.members = hash_members(ranks, info.size);
    __atomic_store_n(&info.to_world, ranks, __ATOMIC_RELEASE);  // another thread may still read the former ones
}

// False where another thread was first with its communicator.
bool change_world(Arg former, Arg group, const std::int32_t* now, int former_size) {
    SpinGuard guard(registry_lock);
    if (world_group != former) return false;
    __atomic_store_n(&world_group, group, __ATOMIC_RELEASE);
    if (now == nullptr) return true;
    for (std::uint32_t i = 0; i < info_count; ++i)
        if (infos[i].size > 0 && !infos[i].files) tell_anew(infos[i], now, former_size);
    for (std::uint32_t i = 0; i < info_count; ++i)
        if (infos[i].cell != nullptr && !infos[i].files) infos[i].cell->id = shared_id(infos[i]);
    return true;
}

// The former group stays: another thread may be translating to it.
void become_world(const CommInfo& info, int size) {
    FileHeader* header = process.file.header();
    Arg group = 0;
    if (call_real("PMPI_Comm_group", info.handle, &group) != 0) return;
    const Arg former = __atomic_load_n(&world_group, __ATOMIC_ACQUIRE);
    const int former_size = header->world_size;
    std::int32_t* now = former != 0 ? ranks_in(group, as_handle(former), former_size) : nullptr;
    const bool changed = (former == 0 || now != nullptr) && change_world(former, group, now, former_size);
    std::free(now);
    if (!changed) {
        call_real("PMPI_Group_free", &group);
        return;
    }
    header->rank = info.my_rank;
    header->world_size = size;
    if (info.handle == as_handle(comm_world())) __atomic_store_n(&world_is_final, true, __ATOMIC_RELEASE);
}

// Whatever communicator comes first is a world.
bool is_larger_world(const CommInfo& info, int size) {
    if (__atomic_load_n(&world_group, __ATOMIC_ACQUIRE) == 0) return true;
    if (info.inter || __atomic_load_n(&world_is_final, __ATOMIC_ACQUIRE)) return false;
    return info.handle == as_handle(comm_world()) || size > process.file.header()->world_size;
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
    if (is_larger_world(info, size)) become_world(info, size);
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

struct Name {
    char text[256] = "";
};

Name name_of(const CommInfo& info) {
    Name name;
    int length = 0;
    call_real(info.window ? "PMPI_Win_get_name" : "PMPI_Comm_get_name", info.handle, name.text, &length);
    return name;
}

void write_cell(CommInfo& info, const Name& name) {
    CommCell cell{};
    cell.index = info.index;
    cell.flags = info.inter ? 1 : 0;
    cell.size = info.local_size;
    cell.my_rank = info.my_rank;
    cell.remote_size = info.inter ? info.size : 0;
    cell.id = shared_id(info);
    copy_text(cell.name, name.text);
    info.cell = process.comms.add(process.file, cell);
}

// The slot of `handle`, or the first that is free for it.
CommSlot& slot_for(Arg handle) {
    CommSlot* forgotten = nullptr;
    std::uint32_t at = comm_slot(handle);
    for (std::uint32_t probes = 0; probes < kCommSlots && comm_slots[at].handle != 0;
         ++probes, at = (at + 1) & (kCommSlots - 1)) {
        if (comm_slots[at].handle == handle) return comm_slots[at];
        if (comm_slots[at].handle == kForgotten && forgotten == nullptr) forgotten = &comm_slots[at];
    }
    return forgotten != nullptr ? *forgotten : comm_slots[at];
}

void publish(CommSlot& slot, CommInfo& info) {
    slot.info = &info;
    __atomic_store_n(&slot.handle, info.handle, __ATOMIC_RELEASE);
}

// Null where there is no more room.
CommInfo* enter_described(const CommInfo& described, const Name& name) {
    SpinGuard guard(registry_lock);
    CommSlot& slot = slot_for(described.handle);
    if (slot.handle == described.handle) return slot.info;  // another thread was first
    if (info_count == kMaxComms) return nullptr;
    CommInfo& info = infos[info_count];
    info = described;
    info.index = static_cast<std::uint16_t>(info_count);
    write_cell(info, name);
    ++info_count;
    publish(slot, info);
    return &info;
}

// The MPI is asked before the lock is taken: it has locks of its own, and another thread may hold them and wait for
// ours.
CommInfo& register_handle(Arg handle, bool window) {
    if (__atomic_load_n(&info_count, __ATOMIC_RELAXED) == kMaxComms) {
        process.file.drop(SegmentKind::comms);
        return unknown;
    }
    CommInfo described{handle, 0, window, false, -1, 0, 0, nullptr, 0, 0, kUnknownNeighbours, false, nullptr};
    if (window) {
        describe_window(described);
    } else {
        describe_comm(described);
    }
    CommInfo* info = enter_described(described, name_of(described));
    if (info == nullptr) process.file.drop(SegmentKind::comms);
    if (info == nullptr || info->to_world != described.to_world) std::free(described.to_world);
    return info != nullptr ? *info : unknown;
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

CommInfo& files_of(const CommInfo& comm) {
    if (comm.index == kNoComm || comm.inter) return unknown;
    SpinGuard guard(registry_lock);
    for (std::uint32_t i = 0; i < info_count; ++i)
        if (infos[i].files && infos[i].members == comm.members) return infos[i];
    if (info_count == kMaxComms) return unknown;
    CommInfo& info = infos[info_count];
    info = comm;
    info.handle = 0;
    info.index = static_cast<std::uint16_t>(info_count);
    info.to_world = nullptr;  // it has no peers
    info.collectives = 0;
    info.files = true;
    Name name;
    copy_text(name.text, "files");
    write_cell(info, name);
    ++info_count;
    return info;
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

CommInfo* forget_handle(Arg handle) {
    handle = as_handle(handle);
    SpinGuard guard(registry_lock);
    if (handle == 0) return nullptr;
    CommSlot& slot = slot_for(handle);
    if (slot.handle != handle) return nullptr;
    if (slot.info->cell != nullptr) slot.info->cell->flags |= 2;
    __atomic_store_n(&slot.handle, kForgotten, __ATOMIC_RELEASE);
    return slot.info;
}

void remember_handle(CommInfo* info) {
    if (info == nullptr) return;
    SpinGuard guard(registry_lock);
    if (info->cell != nullptr) info->cell->flags &= static_cast<std::uint16_t>(~2U);
    publish(slot_for(info->handle), *info);
}

// Receives on a freed communicator may still be under way, and another thread be reading its members. So they stay
// until as many more were freed.
void bury(CommInfo* info) {
    constexpr std::uint32_t kKept = 64;
    static CommInfo* kept[kKept];
    static std::uint32_t buried = 0;
    if (info == nullptr) return;
    std::int32_t* members = nullptr;
    {
        SpinGuard guard(registry_lock);
        CommInfo*& place = kept[buried++ % kKept];
        if (place != nullptr) {
            members = place->to_world;
            __atomic_store_n(&place->size, 0, __ATOMIC_RELEASE);
            place->to_world = nullptr;
        }
        place = info;
    }
    std::free(members);
}

}  // namespace clearway::recorder
