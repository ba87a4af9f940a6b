// How MPI libraries usually do the collective operations that have no Schedule: as programs of sends and receives in
// rounds, after Thakur, Rabenseifner and Gropp (2005, Int J High Perform Comput Appl 19:49) and MPICH's source.
#pragma once

#include <cstdint>

#include "simulator/mpi/rank_call.hpp"

namespace clearway::simulator {

// MPICH's limits: up to these latency counts, above them the bytes do.
inline constexpr std::uint64_t kShortBcastBytes = 12'288;
inline constexpr std::uint32_t kFewBcastRanks = 8;
inline constexpr std::uint64_t kShortReduceBytes = 2'048;

struct Member {
    std::uint32_t rank;
    std::uint32_t ranks;
};

// A binomial tree; long messages are scattered along it and gathered in a ring.
Runnable bcast(Member member, std::uint32_t root, std::uint64_t bytes);

// A binomial tree; long vectors are halved again and again, each rank reduces its part, and the root gathers them.
Runnable reduce(Member member, std::uint32_t root, std::uint64_t bytes);

// Recursive doubling; long vectors as in reduce, but gathered everywhere (Rabenseifner 2004).
Runnable allreduce(Member member, std::uint64_t bytes);

// Dissemination, as between the phases of a Schedule.
Runnable barrier(Member member);

}  // namespace clearway::simulator
