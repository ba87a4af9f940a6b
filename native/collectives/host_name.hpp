// Which host a rank runs on, as a number that ranks of one host share and others do not.
#pragma once

#include <cstdint>

namespace clearway::collectives {

// From the host's name and its network namespace: containers of one host that have network cards of their own count
// as hosts. CLEARWAY_FLOW_HOSTS=H, for tests on one machine, deals `ranks` out to H pretended hosts in blocks.
std::uint64_t host_identity(std::uint32_t rank, std::uint32_t ranks);

}  // namespace clearway::collectives
