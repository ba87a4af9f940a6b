#include "collectives/flow_record.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <string_view>

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

template <std::size_t Size>
void copy_text(char (&to)[Size], std::string_view from) {
    const std::size_t length = std::min(from.size(), Size - 1);
    std::memcpy(to, from.data(), length);
    std::memset(to + length, 0, Size - length);
}

}  // namespace

std::uint32_t next_flow_number() {
    static std::atomic<std::uint32_t> next{0};
    return next.fetch_add(1, std::memory_order_relaxed);
}

FlowCell flow_cell_of(const Group& group, std::uint32_t comm, const SizeRange& sizes) {
    FlowCell cell{};
    copy_text(cell.operation, schedule::name_of(sizes.operation));
    cell.low_bytes = sizes.low_bytes;
    cell.high_bytes = sizes.high_bytes;
    cell.trial = next_flow_number();
    cell.comm = comm;
    cell.ranks = schedule::ranks_of(group.placement);
    cell.hosts = schedule::hosts_of(group.placement);
    return cell;
}

FlowCell* add_flow_cell(FlowCell cell, const schedule::Candidate& candidate) {
    if (!is_recorded()) return nullptr;
    copy_text(cell.candidate, schedule::text_of(candidate));
    return cell_table.add(file, cell);
}

FlowTrial* add_flow_trial(const FlowTrial& trial) { return is_recorded() ? trial_table.add(file, trial) : nullptr; }

}  // namespace clearway::collectives
