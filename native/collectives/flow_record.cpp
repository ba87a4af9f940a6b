#include "collectives/flow_record.hpp"

#include "run_record/process_file.hpp"

namespace clearway {

namespace {

constexpr std::uint32_t kFirstCells = 64, kMostCells = 1 << 16;  // 9 MB

constinit RecordFile file;
constinit Table<FlowCell> cells(SegmentKind::flow, kFirstCells, kMostCells);

}  // namespace

FlowCell* add_flow_cell(const FlowCell& cell) {
    static const bool is_open = create_process_file(file, "flow", FileKind::flow);
    return is_open ? cells.add(file, cell) : nullptr;
}

}  // namespace clearway
