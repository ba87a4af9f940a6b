#include "collectives/channel.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>

namespace clearway::collectives {

namespace {

// Communicators of ours in one process. A program that uses so many different sets of ranks is left to the MPI.
constexpr std::size_t kMostHidden = 16;

struct Made {
    std::uint64_t id;
    Arg comm;
    Arg group;  // MPI_Group of its members
};

// Held for look-ups only, never across an MPI call that communicates.
constinit std::mutex channels_mutex;
constinit std::array<Made, kMostHidden> made_channels{};
constinit std::size_t number_made = 0;
constinit std::array<bool, kMostSlots> used{};

// Calls visit(rank, rank there) for all members of `group` while they are members of `other`; returns whether all are.
template <class Visit>
bool translate(const OwnMpi& mpi, Arg group, std::uint32_t ranks, Arg other, Visit visit) {
    constexpr std::uint32_t kAtOnce = 256;
    std::array<std::int32_t, kAtOnce> asked, there;
    for (std::uint32_t first = 0; first < ranks; first += kAtOnce) {
        const std::uint32_t count = std::min(kAtOnce, ranks - first);
        std::iota(asked.begin(), asked.end(), static_cast<std::int32_t>(first));
        if (mpi.group_translate_ranks(group, count, to_arg(asked.data()), other, to_arg(there.data())) != kMpiSuccess)
            return false;
        for (std::uint32_t i = 0; i < count; ++i) {
            if (there[i] < 0) return false;  // MPI_UNDEFINED
            visit(first + i, static_cast<std::uint32_t>(there[i]));
        }
    }
    return true;
}

bool is_identity(const std::vector<std::uint32_t>& ranks) {
    for (std::uint32_t i = 0; i < ranks.size(); ++i)
        if (ranks[i] != i) return false;
    return true;
}

}  // namespace

std::uint32_t claim_slot(std::uint32_t least) {
    const std::lock_guard lock(channels_mutex);
    for (std::uint32_t slot = least; slot < kMostSlots; ++slot) {
        if (used[slot]) continue;
        used[slot] = true;
        return slot;
    }
    return kMostSlots;
}

void release_slot(std::uint32_t slot) {
    const std::lock_guard lock(channels_mutex);
    if (slot < kMostSlots) used[slot] = false;
}

bool are_among(const OwnMpi& mpi, Arg group, std::uint32_t ranks, Arg other) {
    return translate(mpi, group, ranks, other, [](std::uint32_t, std::uint32_t) {});
}

Hidden find_hidden(const OwnMpi& mpi, Arg group, std::uint32_t ranks) {
    std::array<Made, kMostHidden> known;
    std::size_t count = 0;
    {
        const std::lock_guard lock(channels_mutex);
        known = made_channels;
        count = number_made;
    }
    Hidden hidden;
    hidden.peers.resize(ranks);
    for (std::size_t i = 0; i < count; ++i) {
        const auto keep = [&](std::uint32_t rank, std::uint32_t there) { hidden.peers[rank] = there; };
        if (!translate(mpi, group, ranks, known[i].group, keep)) continue;
        hidden.id = known[i].id;
        hidden.comm = known[i].comm;
        if (is_identity(hidden.peers)) hidden.peers.clear();
        return hidden;
    }
    hidden.peers.clear();
    return hidden;
}

bool may_make_hidden() {
    const std::lock_guard lock(channels_mutex);
    return number_made < kMostHidden;
}

// Unlike MPI_Comm_dup it calls none of the program's attribute functions.
bool make_hidden(const OwnMpi& mpi, Arg comm, Arg group, Hidden& hidden) {
    Handle fresh;
    fresh.set(mpi.null_comm);
    if (mpi.comm_create(comm, group, fresh.address()) != kMpiSuccess || fresh.get() == as_handle(mpi.null_comm))
        return false;
    mpi.comm_set_errhandler(fresh.get(), mpi.errors_return);
    hidden.comm = fresh.get();
    hidden.peers.clear();
    return true;
}

void publish_hidden(const Hidden& hidden, Arg group) {
    const std::lock_guard lock(channels_mutex);
    if (number_made < kMostHidden) made_channels[number_made++] = {hidden.id, hidden.comm, group};
}

}  // namespace clearway::collectives
