// Errors in one rank's arguments that its MPI finds before it communicates. The other ranks may be in the call, or may
// not; in any case the MPI is to tell the error in its own words, and no message of ours may have gone before.
#pragma once

#include <cstdint>

#include "collectives/call.hpp"

namespace clearway::collectives {

// Whether the MPI refuses the call on this rank. What it would take must not be refused here: it would wait for the
// other ranks, which are doing the call our way.
bool is_refused(const Call& call, std::uint32_t rank, std::uint32_t ranks);

}  // namespace clearway::collectives
