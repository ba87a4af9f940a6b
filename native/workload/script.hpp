// What every rank of a job does in one time step, as plain data: the simulator and real MPI run the same Script.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace clearway::workload {

enum class ActivityKind : std::uint8_t {
    compute,
    send,
    recv,
    isend,
    irecv,
    waitall,  // completes all open requests of the rank
    wait,     // completes those that it names
    sendrecv,
    alltoall,
    alltoallv,
    allgather,
    allgatherv,
    allreduce,
    reduce,
    bcast,
    barrier,
};

// Ranks are those of the communicator.
struct Activity {
    ActivityKind kind = ActivityKind::compute;
    int peer = -1;                  // whom it sends to or receives from; of sendrecv: to; the root of reduce and bcast
    int from = -1;                  // of sendrecv alone
    int tag = 0;                    // of messages; sendrecv has it in both directions
    int communicator = 0;           // index into Script::communicators
    std::uint64_t bytes = 0;        // of the message; of a block: from each rank, or from each to each (alltoall)
    std::uint64_t from_bytes = 0;   // of what sendrecv receives
    std::uint64_t duration_ns = 0;  // of compute
    int request = -1;               // of isend and irecv: what a wait names them by; -1: only a waitall completes them
    // Index into Script::counts: bytes to each (alltoallv), from each (allgatherv); the requests of a wait.
    int counts = -1;
};

struct Communicator {
    std::string name;
    std::vector<int> ranks;  // of the world, ascending
};

// The rank that a rank of the world has in a communicator; -1: it is no member.
inline int rank_in(const Communicator& communicator, int rank) {
    const auto found = std::lower_bound(communicator.ranks.begin(), communicator.ranks.end(), rank);
    if (found == communicator.ranks.end() || *found != rank) return -1;
    return static_cast<int>(found - communicator.ranks.begin());
}

struct Script {
    std::string title;
    int ranks = 0;
    int steps = 1;                            // each rank does its list that often
    std::vector<Communicator> communicators;  // the first is the world
    std::vector<std::vector<std::uint64_t>> counts;
    std::vector<std::vector<Activity>> activities_of;  // by rank
};

}  // namespace clearway::workload
