#include "collectives/flow_record.hpp"

#include "run_record/run_file.hpp"

namespace clearway::collectives {

namespace {

constexpr std::uint32_t kFirstCells = 64, kMostCells = 1 << 16;  // 9 MB

constinit RecordFile file;
constinit Table<FlowCell> cells(SegmentKind::flow, kFirstCells, kMostCells);
constinit Table<FlowTrial> trials(SegmentKind::flow_trials, kFirstCells, kMostCells);

bool is_recorded() {
    static const bool is_open = open_own_file(file, FileKind::flow);
    return is_open;
}

}  // namespace

FlowCell* add_flow_cell(const FlowCell& cell) { return is_recorded() ? cells.add(file, cell) : nullptr; }

FlowTrial* add_flow_trial(const FlowTrial& trial) { return is_recorded() ? trials.add(file, trial) : nullptr; }

}  // namespace clearway::collectives
