#include "collectives/flow_record.hpp"

#include "run_record/run_file.hpp"

namespace clearway::collectives {

namespace {

constexpr std::uint32_t kFirstCells = 64, kMostCells = 1 << 16;  // 9 MB

constinit RecordFile file;
constinit Table<FlowCell> cell_table(SegmentKind::flow, kFirstCells, kMostCells);
constinit Table<FlowTrial> trial_table(SegmentKind::flow_trials, kFirstCells, kMostCells);

bool is_recorded() {
    static const bool is_open = open_own_file(file, FileKind::flow);
    return is_open;
}

}  // namespace

FlowCell* add_flow_cell(const FlowCell& cell) { return is_recorded() ? cell_table.add(file, cell) : nullptr; }

FlowTrial* add_flow_trial(const FlowTrial& trial) { return is_recorded() ? trial_table.add(file, trial) : nullptr; }

}  // namespace clearway::collectives
