// How collectives were steered: the ways that were tried, and what that cost. Part of a record: see layout.hpp.
#pragma once

#include <cstdint>

namespace clearway {

// One way of making one collective call. A communicator, an operation and a size have a trial of several ways.
struct FlowCell {
    char operation[16];        // "alltoall"
    char candidate[80];        // "own" (the MPI's), "ordered+token:12000,chunk:8000"
    std::uint64_t low_bytes;   // of the blocks, from ...
    std::uint64_t high_bytes;  // ... to; 0 where they have no size known to all ranks
    std::uint64_t calls;       // made this way
    std::uint64_t time_ns;     // of a call, on the slowest rank, when it was last measured; 0: never
    std::uint32_t trial;       // its number in this file
    std::uint32_t comm;        // likewise
    std::uint32_t ranks, hosts;
    std::uint32_t chosen;      // not 0: the way of the calls to come
    std::uint32_t challenges;  // how often, after the first trial of all, another way was tried again
};

// What it cost to find the best way.
struct FlowTrial {
    std::uint32_t trial;    // as in FlowCell
    std::uint32_t began;    // by: 0 a guess, 1 what an earlier job had found, 2 a table
    std::uint32_t is_over;  // 0: ways are still to be tried
    std::uint32_t reserved;
    std::uint64_t calls_elsewhere;  // of the trial, that went another way than the one chosen now
    std::uint64_t regret_ns;        // what they took above that one's time, as far as is known
};

static_assert(sizeof(FlowCell) == 152);
static_assert(sizeof(FlowTrial) == 32);

}  // namespace clearway
