#include "collectives/group.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/never_destroyed.hpp"
#include "collectives/agreement.hpp"
#include "collectives/host_name.hpp"
#include "collectives/own_mpi.hpp"
#include "collectives/reserve.hpp"

namespace clearway::collectives {

std::atomic<std::uint32_t> groups_forgotten{0};

namespace {

// Held for look-ups only, never across an MPI call.
std::mutex groups_mutex;
std::unordered_map<Arg, Group*>& table() {
    static NeverDestroyed<std::unordered_map<Arg, Group*>> groups;
    return *groups;
}

// A thread mostly calls on the communicator of its last call. What another thread has forgotten counts no more.
struct Last {
    Arg comm;
    Group* group;
    std::uint32_t forgotten;
};
constinit thread_local Last last [[gnu::tls_model("initial-exec")]] = {0, nullptr, 0};

// Other threads' errors on the same communicator are not the program's for a moment. Ours never are.
class ErrorsReturned {
public:
    ErrorsReturned(const OwnMpi& mpi, Arg comm) : mpi_(mpi), comm_(comm) {
        if (mpi.comm_get_errhandler(comm, before_.address()) != kMpiSuccess) return;
        mpi.comm_set_errhandler(comm, mpi.errors_return);
        is_set_ = true;
    }
    ~ErrorsReturned() {
        if (!is_set_) return;
        mpi_.comm_set_errhandler(comm_, before_.get());
        mpi_.errhandler_free(before_.address());
    }
    ErrorsReturned(const ErrorsReturned&) = delete;
    ErrorsReturned& operator=(const ErrorsReturned&) = delete;

private:
    const OwnMpi& mpi_;
    Arg comm_;
    Handle before_;
    bool is_set_ = false;
};

class GroupOf {  // an MPI_Group
public:
    GroupOf(const OwnMpi& mpi, Arg comm) : mpi_(mpi), is_made_(mpi.comm_group(comm, group_.address()) == kMpiSuccess) {}
    ~GroupOf() {
        if (is_made_) mpi_.group_free(group_.address());
    }
    GroupOf(const GroupOf&) = delete;
    GroupOf& operator=(const GroupOf&) = delete;

    bool is_made() const { return is_made_; }
    Arg get() const { return group_.get(); }
    Arg keep() {
        is_made_ = false;
        return group_.get();
    }

private:
    const OwnMpi& mpi_;
    Handle group_;
    bool is_made_;
};

// What a rank must have before it can say that it takes part.
struct Preparation {
    std::vector<std::uint64_t> names;  // of hosts, by rank
    Hidden hidden;
    bool is_outside = false;  // processes of another MPI_COMM_WORLD take part
    bool failed = false;
};

constexpr std::size_t kReserveBytes = 2 << 20, kReserveBytesARank = 8 << 10;

Preparation prepare(const OwnMpi& mpi, Arg group, int ranks) {
    Preparation ready;
    const auto count = static_cast<std::uint32_t>(ranks);
    const GroupOf world(mpi, comm_world());
    const bool done = with_reserve([&] {
        ready.is_outside = !world.is_made() || !are_among(mpi, group, count, world.get());
        ready.hidden = find_hidden(mpi, group, count);
        ready.names.resize(count);
    });
    ready.failed = !done || !keep_reserve(kReserveBytes + count * kReserveBytesARank);
    return ready;
}

// Ranks propose tags and a hidden communicator until they propose the same. False where there is none for all.
bool agree_on_channel(Group& group, Preparation& ready) {
    constexpr int kMostRounds = 8;
    std::uint32_t least = 0;
    for (int round = 0; round < kMostRounds; ++round) {
        const std::uint32_t slot = claim_slot(least);
        const bool in_trouble = ready.failed || slot == kMostSlots || (ready.hidden.id == 0 && !may_make_hidden());
        std::uint64_t values[] = {slot, ~std::uint64_t{slot}, ready.hidden.id, ~ready.hidden.id, in_trouble ? 1U : 0U};
        if (!agree_on_largest(group.comm, values) || values[4] != 0) {
            release_slot(slot);
            return false;
        }
        if (values[2] != ~values[3]) ready.hidden = {};  // one is being made by other threads of some ranks
        if (values[0] == ~values[1]) {
            group.channel.slot = slot;
            return true;
        }
        release_slot(slot);
        least = static_cast<std::uint32_t>(values[0]);
    }
    return false;
}

bool find_hosts(const OwnMpi& mpi, Group& group, std::vector<std::uint64_t>& names) {
    std::uint64_t mine = host_identity(group.rank, static_cast<std::uint32_t>(names.size()));
    return mpi.allgather(to_arg(&mine), 1, mpi.uint64, to_arg(names.data()), 1, mpi.uint64, group.comm) == kMpiSuccess;
}

// Hosts are numbered by their first rank.
schedule::Placement placement_of(const std::vector<std::uint64_t>& names) {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    std::vector<std::uint32_t> host_of_rank;
    host_of_rank.reserve(names.size());
    for (const std::uint64_t name : names)
        host_of_rank.push_back(numbers.try_emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second);
    return schedule::place(std::move(host_of_rank));
}

// A number that no other hidden communicator has on any of its ranks.
std::uint64_t next_id(const OwnMpi& mpi) {
    static std::atomic<std::uint32_t> next{0};
    int rank = 0;
    mpi.comm_rank(comm_world(), to_arg(&rank));
    return (std::uint64_t{static_cast<std::uint32_t>(rank)} << 32 | next.fetch_add(1)) + 1;
}

bool open_channel(const OwnMpi& mpi, Group& group, Preparation& ready, GroupOf& members) {
    const bool is_new = ready.hidden.id == 0;
    bool failed = !with_reserve([&] { group.placement = placement_of(ready.names); });
    const bool is_made = is_new && make_hidden(mpi, group.comm, members.get(), ready.hidden);
    failed = failed || (is_new && !is_made);
    std::uint64_t values[] = {failed ? 1U : 0U, is_new && group.rank == 0 ? next_id(mpi) : 0};
    if (!agree_on_largest(group.comm, values) || values[0] != 0) {
        Handle unwanted(ready.hidden.comm);
        if (is_made) mpi.comm_free(unwanted.address());
        return false;
    }
    if (is_new) {
        ready.hidden.id = values[1];
        publish_hidden(ready.hidden, members.keep());
    }
    group.channel.comm = ready.hidden.comm;
    group.channel.peers = std::move(ready.hidden.peers);
    return true;
}

// Before the ranks have said anything to each other. False where the call is the MPI's, as all of them can see alike.
bool may_be_ours(const OwnMpi& mpi, Arg comm, int& ranks) {
    int inter = 1, is_initialized = 0;
    return mpi.initialized(to_arg(&is_initialized)) == kMpiSuccess && is_initialized != 0 &&
           mpi.comm_test_inter(comm, to_arg(&inter)) == kMpiSuccess && inter == 0 &&
           mpi.comm_size(comm, to_arg(&ranks)) == kMpiSuccess && ranks > 1;
}

// A communicator over which there is no memory to keep anything, in a place of its own: what it has become must be
// known at its next call.
struct Spare {
    Arg comm = 0;
    Group group;
};
constexpr std::size_t kSpares = 32;
std::array<Spare, kSpares>& spares() {
    static NeverDestroyed<std::array<Spare, kSpares>> all;
    return *all;
}

Group* spare_for(Arg comm) {
    for (Spare& spare : spares())
        if (spare.comm == comm) return &spare.group;
    for (Spare& spare : spares()) {
        if (spare.comm != 0) continue;
        spare.comm = comm;
        return &spare.group;
    }
    return nullptr;
}

Group* look_up(Arg comm) {
    const std::lock_guard lock(groups_mutex);
    if (const auto found = table().find(comm); found != table().end()) return found->second;
    for (Spare& spare : spares())
        if (spare.comm == comm) return &spare.group;
    Group* group = nullptr;
    const bool done = with_reserve([&] {
        if (group == nullptr) group = new Group;
        table().emplace(comm, group);
    });
    if (done) return group;
    delete group;
    return spare_for(comm);
}

bool is_spare(const Group* group) {
    return std::ranges::any_of(spares(), [group](const Spare& spare) { return &spare.group == group; });
}

}  // namespace

Group* group_of(Arg comm) {
    comm = as_handle(comm);
    const std::uint32_t now = groups_forgotten.load(std::memory_order_acquire);
    if (last.comm == comm && last.group != nullptr && last.forgotten == now) [[likely]]
        return last.group;
    last = {comm, look_up(comm), now};
    return last.group;
}

void establish(Group& group, Arg comm) {
    group.state = GroupState::left_to_mpi;
    group.comm = as_handle(comm);
    const OwnMpi* mpi = own_mpi();
    int ranks = 0, rank = 0;
    if (mpi == nullptr || !may_be_ours(*mpi, comm, ranks)) return;
    GroupOf members(*mpi, comm);
    if (!members.is_made() || mpi->comm_rank(comm, to_arg(&rank)) != kMpiSuccess) return;
    group.rank = static_cast<std::uint32_t>(rank);
    Preparation ready = prepare(*mpi, members.get(), ranks);
    if (ready.is_outside) return;
    const ErrorsReturned errors(*mpi, comm);
    if (!agree_on_channel(group, ready)) return;
    const bool is_gathered = find_hosts(*mpi, group, ready.names);
    const bool is_one_host = std::ranges::adjacent_find(ready.names, std::not_equal_to{}) == ready.names.end();
    if (is_gathered && !is_one_host && open_channel(*mpi, group, ready, members))
        group.state = GroupState::ready;
    else
        release_slot(group.channel.slot);
}

Group* take_group(Arg comm) {
    comm = as_handle(comm);
    const std::lock_guard lock(groups_mutex);
    Group* group = nullptr;
    if (const auto found = table().find(comm); found != table().end()) {
        group = found->second;
        table().erase(found);
    }
    for (Spare& spare : spares()) {
        if (spare.comm != comm) continue;
        spare.comm = 0;
        group = &spare.group;
    }
    if (group != nullptr) groups_forgotten.fetch_add(1, std::memory_order_release);
    return group;
}

void destroy(Group* group) {
    if (group == nullptr) return;
    if (group->state == GroupState::ready) release_slot(group->channel.slot);
    if (group->trials != nullptr) group->destroy_trials(group->trials);
    if (group->plans != nullptr) group->destroy_plans(group->plans);
    if (group->forced_calls != nullptr) group->destroy_forced_calls(group->forced_calls);
    if (is_spare(group))
        *group = {};
    else
        delete group;
}

void each_group(void (*visit)(const Group& group)) {
    const std::lock_guard lock(groups_mutex);
    for (const auto& [comm, group] : table()) visit(*group);
}

}  // namespace clearway::collectives
