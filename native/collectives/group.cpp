#include "collectives/group.hpp"

#include <atomic>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectives/host_name.hpp"
#include "collectives/own_mpi.hpp"

namespace clearway {

void destroy(Courses* courses);  // selector.cpp
void destroy(Plans* plans);      // plans.cpp

std::atomic<std::uint32_t> groups_forgotten{0};

namespace {

// Held for look-ups only, never across an MPI call.
std::mutex mutex;
std::unordered_map<Arg, Group*>& table() {
    static auto* const groups = new std::unordered_map<Arg, Group*>;  // outlives every thread of the program
    return *groups;
}

// A thread mostly calls on the communicator of its last call. What another thread has forgotten counts no more.
struct Last {
    Arg comm;
    Group* group;
    std::uint32_t forgotten;
};
constinit thread_local Last last [[gnu::tls_model("initial-exec")]] = {0, nullptr, 0};

void destroy_group(Group* group) {
    if (group->courses != nullptr) destroy(group->courses);
    if (group->plans != nullptr) destroy(group->plans);
    delete group;
}

bool is_ours(const OwnMpi& mpi, Arg comm, int& ranks) {
    int inter = 1;
    return mpi.comm_test_inter(comm, to_arg(&inter)) == kMpiSuccess && inter == 0 &&
           mpi.comm_size(comm, to_arg(&ranks)) == kMpiSuccess && ranks > 1;
}

// Over the same ranks; unlike MPI_Comm_dup it calls none of the program's attribute functions.
Arg communicator_like(const OwnMpi& mpi, Arg comm) {
    Handle group, made;
    if (mpi.comm_group(comm, group.address()) != kMpiSuccess) return mpi.null_comm;
    made.set(mpi.null_comm);
    const int code = mpi.comm_create(comm, group.get(), made.address());
    mpi.group_free(group.address());
    if (code != kMpiSuccess) return mpi.null_comm;
    mpi.comm_set_errhandler(made.get(), mpi.errors_return);
    return made.get();
}

// Hosts are numbered by their first rank. False where the ranks' names cannot be gathered.
bool find_placement(const OwnMpi& mpi, Group& group, int ranks) {
    std::uint64_t mine = host_identity(group.rank, static_cast<std::uint32_t>(ranks));
    std::vector<std::uint64_t> names(static_cast<std::size_t>(ranks));
    if (mpi.allgather(to_arg(&mine), 1, mpi.uint64, to_arg(names.data()), 1, mpi.uint64, group.comm) != kMpiSuccess)
        return false;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    std::vector<std::uint32_t> host_of_rank;
    host_of_rank.reserve(names.size());
    for (const std::uint64_t name : names)
        host_of_rank.push_back(numbers.try_emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second);
    group.placement = schedule::place(std::move(host_of_rank));
    return true;
}

Group* look_up(Arg comm) {
    const std::lock_guard lock(mutex);
    auto [entry, is_new] = table().try_emplace(comm, nullptr);
    if (entry->second == nullptr) entry->second = new (std::nothrow) Group;
    return entry->second;
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
    group.state = GroupState::handed;
    const OwnMpi* mpi = own_mpi();
    int ranks = 0;
    int rank = 0;
    if (mpi == nullptr || !is_ours(*mpi, comm, ranks)) return;
    group.comm = communicator_like(*mpi, comm);
    if (group.comm == mpi->null_comm || mpi->comm_rank(group.comm, to_arg(&rank)) != kMpiSuccess) return;
    group.rank = static_cast<std::uint32_t>(rank);
    if (!find_placement(*mpi, group, ranks)) return;
    if (schedule::hosts_of(group.placement) > 1) group.state = GroupState::ready;
}

void forget_group(Arg comm) {
    comm = as_handle(comm);
    Group* group = nullptr;
    {
        const std::lock_guard lock(mutex);
        const auto found = table().find(comm);
        if (found == table().end()) return;
        group = found->second;
        table().erase(found);
        groups_forgotten.fetch_add(1, std::memory_order_release);
    }
    if (group == nullptr) return;
    const OwnMpi* mpi = own_mpi();
    if (mpi != nullptr && group->comm != 0 && group->comm != mpi->null_comm) {
        Handle ours(group->comm);
        mpi->comm_free(ours.address());
    }
    destroy_group(group);
}

void forget_all_groups(void (*each)(const Group& group)) {
    std::unordered_map<Arg, Group*> all;
    {
        const std::lock_guard lock(mutex);
        all.swap(table());
        groups_forgotten.fetch_add(1, std::memory_order_release);
    }
    for (const auto& [comm, group] : all) {
        if (group == nullptr) continue;
        if (each != nullptr) each(*group);
        destroy_group(group);
    }
}

}  // namespace clearway
