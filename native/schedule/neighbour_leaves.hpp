// Who gives whom leave to go on, where Gate::token separates the phases: plain data, worked out from the Program alone.
//
// A rank that has all but a window of what it receives in phase p says so to those that sent it this, for their port
// has drained, and to those that will send to it in phase p+1, for its own port is free. A rank goes on to phase p+1
// with the leaves of its receivers in both phases. The ends agree without a message, since every message has a sender
// and a receiver that know of it.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace clearway::schedule {

// Fills program.gives and program.needs. `phases` is the Schedule's: the last of them ends without leaves.
void add_neighbour_leaves(Program& program, std::uint32_t phases);

// Ascending, each once.
void sort_leaves(std::vector<Leave>& leaves);

}  // namespace clearway::schedule
