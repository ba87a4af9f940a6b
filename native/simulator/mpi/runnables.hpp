// What the ranks of a call run. In most algorithms all ranks do the same with other peers (Turn), so one copy serves
// them all: with thousands of ranks a Program each would need more memory than the whole network.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "schedule/candidate.hpp"
#include "simulator/mpi/rank_call.hpp"

namespace clearway::simulator {

class Runnables {
public:
    Runnables(const schedule::Problem& problem, const schedule::Candidate& candidate);

    const RankProgram& of(std::uint32_t rank) const { return programs_[rank]; }

private:
    std::vector<std::uint32_t> barrier_;
    std::deque<Runnable> runnables_;  // programs_ point into it
    std::vector<RankProgram> programs_;
};

// Whether the steps of `program` are rank 0's, `first`, with all peers and their blocks turned.
bool is_turned(const schedule::Problem& problem, const schedule::Program& first, const schedule::Program& program,
               const Turn& turn);

}  // namespace clearway::simulator
