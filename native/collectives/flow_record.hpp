// Writes down which ways were tried and chosen: flow.<host>.<pid>.cwr in the Run directory, a FlowCell for each
// candidate of each trial. Rank 0 of a communicator writes for all its ranks, since they decide alike. The cells are
// the file (a shared mapping), so that what a killed job knew is there.
#pragma once

#include "run_record/layout.hpp"

namespace clearway::collectives {

// The cell's place in the file; null where nothing is recorded, or nothing more.
FlowCell* add_flow_cell(const FlowCell& cell);
FlowTrial* add_flow_trial(const FlowTrial& trial);

}  // namespace clearway::collectives
