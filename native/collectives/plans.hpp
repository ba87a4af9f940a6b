// What is kept of a communicator for its next calls: the Programs made for earlier ones, and memory for buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/buffers/call_buffers.hpp"
#include "collectives/executor.hpp"
#include "collectives/group.hpp"
#include "schedule/candidate.hpp"

namespace clearway::collectives {

// A Program depends on which blocks have bytes, not on how many.
struct PlanKey {
    schedule::Operation operation;
    schedule::Candidate candidate;
    std::vector<bool> has_bytes;  // by block, sent and then received; empty where all have
};

struct Plan {
    PlanKey key;
    std::uint64_t last_use;
    schedule::Runnable runnable;
};

struct Plans {
    std::vector<std::unique_ptr<Plan>> plans;
    std::uint64_t uses = 0;
    CallBuffers buffers;
    Workspace workspace;
};

Plans& plans_of(Group& group);

// The block sizes are those of this rank, by slot. The algorithm serves the operation.
const schedule::Runnable& plan_for(Group& group, schedule::Operation operation, const schedule::Candidate& candidate,
                                   const std::vector<std::uint64_t>& send_bytes,
                                   const std::vector<std::uint64_t>& receive_bytes);

}  // namespace clearway::collectives
