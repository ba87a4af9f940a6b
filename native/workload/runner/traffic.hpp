// What an activity sends and receives on one rank, block by block.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/script.hpp"

namespace clearway::workload {

struct Block {
    int peer;  // in the communicator; kAll where the same bytes go to everyone
    std::uint64_t bytes;
};

struct Traffic {
    std::vector<Block> sends, receives;
};

std::uint64_t bytes_of(const std::vector<Block>& blocks);

// What open requests take of a buffer, so that what follows them is aligned for any type.
inline std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

// Of messages, and of collective operations that move bytes. Sums are left out: what arrives is nobody's block.
class TrafficOf {
public:
    TrafficOf(const Script& script, int rank)
        : script_(script), rank_(rank), alltoallvs_(script.communicators.size()) {}

    // From here on it is told of the activities of one time step, in their order.
    void begin_step();
    Traffic operator()(const Activity& activity);

private:
    Traffic of_alltoallv(const Activity& activity);

    const Script& script_;
    const int rank_;
    std::vector<std::size_t> alltoallvs_;  // by communicator: how many this step has had
};

struct Room {
    std::uint64_t send_bytes = 0, receive_bytes = 0;
    std::size_t requests = 0;
    bool fits = true;  // each call's blocks together in an `int`, as MPI wants it
};

// That the activities of a rank need at most.
Room room_for(const Script& script, int rank);

}  // namespace clearway::workload
