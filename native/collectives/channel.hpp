// Where the messages of a communicator's calls go: a hidden communicator, which many of the program's share, and tags
// that are theirs alone.
//
// MPICH has 2,048 communicators in all, so there is not one of ours for each of the program's. A hidden one is made
// over the ranks of the first communicator that wants it, and serves every other whose ranks are among these. It is
// never freed: that would have to happen on all its ranks at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/own_mpi.hpp"

namespace clearway::collectives {

struct Channel {
    Arg comm = 0;  // hidden; returns errors
    std::uint32_t slot = 0;
    std::vector<std::uint32_t> peers;  // by rank of the program's communicator: the hidden one's; empty: the same
    std::uint32_t calls = 0;           // begun so far

    std::uint32_t peer(std::uint32_t rank) const { return peers.empty() ? rank : peers[rank]; }
    // What is left of a call that went wrong does not match a message of those after it.
    Arg tag(Arg kind) const { return 1 + slot * kTagsASlot + (calls % kCallsApart) * kKinds + kind; }

    static constexpr Arg kKinds = 4, kCallsApart = 4, kTagsASlot = kKinds * kCallsApart;
};

// Tags up to 32,767 are all that MPI promises.
inline constexpr std::uint32_t kMostSlots = 32767 / Channel::kTagsASlot;

// Marks the lowest slot from `least` on as used, and returns it; kMostSlots where there is none.
std::uint32_t claim_slot(std::uint32_t least);
void release_slot(std::uint32_t slot);

// A hidden communicator over at least the ranks of `comm`, and how these are called there.
struct Hidden {
    std::uint64_t id = 0;  // the same on all its ranks; 0: there is none
    Arg comm = 0;
    std::vector<std::uint32_t> peers;
};

// The one made first that has all members of `group`, an MPI_Group of `ranks` members.
Hidden find_hidden(const OwnMpi& mpi, Arg group, std::uint32_t ranks);

bool may_make_hidden();

// Over the ranks of `comm`, whose group is `group`, and collective over it. False where the MPI has no more.
bool make_hidden(const OwnMpi& mpi, Arg comm, Arg group, Hidden& hidden);

// Once all ranks agree upon the id of one that was made: others may share it. `group` stays ours for good.
void publish_hidden(const Hidden& hidden, Arg group);

// Whether all members of `group` are members of `other`.
bool are_among(const OwnMpi& mpi, Arg group, std::uint32_t ranks, Arg other);

}  // namespace clearway::collectives
