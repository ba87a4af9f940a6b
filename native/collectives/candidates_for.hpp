// Which ways are worth trying for a call: the likely best first, the MPI's own last. Measured on shaped links; see
// docs/flow-choices.md.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/trial.hpp"
#include "schedule/candidate.hpp"
#include "schedule/problem.hpp"

namespace clearway::collectives {

// `block_bytes` as in `choose` (selector.hpp). Never empty, and alike on all ranks.
std::vector<schedule::Candidate> candidates_for(const schedule::Placement& placement, schedule::Operation operation,
                                                std::uint64_t block_bytes);

// What to think of these candidates where no earlier job is known. Alike on all ranks.
Outlook outlook_for(const schedule::Placement& placement, schedule::Operation operation, std::uint64_t block_bytes,
                    const std::vector<schedule::Candidate>& candidates);

// The size to judge by. Of an alltoallv or alltoallw none is known to all ranks: then the ways for large blocks, which
// do no harm to small ones.
std::uint64_t judged_bytes(schedule::Operation operation, std::uint64_t block_bytes);

}  // namespace clearway::collectives
