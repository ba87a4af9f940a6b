// Chooses how a call goes, the same on all ranks without a message: from a table measured before, or by trying the
// candidates in the first calls. The MPI's own algorithm is always one of them.
#pragma once

#include <cstdint>

#include "collectives/group.hpp"
#include "schedule/candidate.hpp"
#include "schedule/problem.hpp"

namespace clearway::collectives {

struct Trial;  // one (communicator, operation, size) and what is known of its candidates

struct Choice {
    const schedule::Candidate* candidate;  // never null; stays good until `learn`
    Trial* trial;                          // null: nothing is to be learned from this call
};

// `block_bytes`: what all ranks know alike: the block of an alltoall or allgather, the largest of an allgatherv, 0 of
// an alltoallv or alltoallw. The group is ready. The first call on a group, which is the first on all its ranks,
// communicates on the group's communicator; every call counts as one made the chosen way.
Choice choose(Group& group, schedule::Operation operation, std::uint64_t block_bytes);

// Tells how long the call took on this rank; at some calls, the same on all ranks, it communicates on the group's
// communicator to agree.
// Not to be called where `choice.trial` is null.
void learn(Group& group, const Choice& choice, std::uint64_t elapsed_ns);

// Keeps what was learnt for the next job (earlier_jobs.hpp). Communicates nothing.
void remember_all(const Trials& trials);

}  // namespace clearway::collectives
