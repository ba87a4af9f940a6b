// How often which calls went a way that somebody forced upon them: for the record alone, and so on rank 0 alone.
#pragma once

#include <cstdint>

#include "collectives/group.hpp"
#include "schedule/candidate.hpp"
#include "schedule/problem.hpp"

namespace clearway::collectives {

// `way` is the one that the call goes: the MPI's own where the forced one does not serve its operation.
void count_forced_call(Group& group, schedule::Operation operation, std::uint64_t block_bytes,
                       const schedule::Candidate& way);

}  // namespace clearway::collectives
