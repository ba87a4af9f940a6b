// Writes down which ways were tried, chosen or forced: flow.<host>.<pid>.cwr in the Run directory, a FlowCell for each
// candidate of each trial. Rank 0 of a communicator writes for all its ranks, since they decide alike. The cells are
// the file (a shared mapping), so that what a killed job knew is there.
#pragma once

#include <cstdint>

#include "collectives/group.hpp"
#include "collectives/size_range.hpp"
#include "run_record/layout.hpp"
#include "schedule/candidate.hpp"

namespace clearway::collectives {

// Of communicators and trials, in this process.
std::uint32_t next_flow_number();

// What the cells of a trial have in common. `comm` is the communicator's number in the record.
FlowCell flow_cell_of(const Group& group, std::uint32_t comm, const SizeRange& sizes);

// The cell's place in the file, with that candidate; null where nothing is recorded, or nothing more.
FlowCell* add_flow_cell(FlowCell cell, const schedule::Candidate& candidate);
FlowTrial* add_flow_trial(const FlowTrial& trial);

}  // namespace clearway::collectives
