#include "collectives/forced_calls.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include "collectives/flow_record.hpp"
#include "collectives/size_range.hpp"

namespace clearway::collectives {

struct ForcedCalls {
    struct Entry {
        SizeRange sizes;
        schedule::Candidate way;
        FlowCell* cell;  // null: nothing is recorded, or nothing more
    };
    std::vector<Entry> entries;
    std::uint32_t number = 0;  // of this communicator in the record
};

namespace {

constexpr std::size_t kMostEntries = 512;

FlowCell* add_entry(const Group& group, ForcedCalls& calls, schedule::Operation operation, std::uint64_t block_bytes,
                    const schedule::Candidate& way) {
    if (calls.entries.size() == kMostEntries) return nullptr;
    const SizeRange sizes = range_for(operation, block_bytes, calls.entries.size());
    calls.entries.push_back({sizes, way, nullptr});
    FlowCell cell = flow_cell_of(group, calls.number, sizes);
    cell.chosen = 1;
    return calls.entries.back().cell = add_flow_cell(cell, way);
}

FlowCell* cell_for(Group& group, schedule::Operation operation, std::uint64_t block_bytes,
                   const schedule::Candidate& way) {
    if (group.forced_calls == nullptr) {
        group.forced_calls = new ForcedCalls{{}, next_flow_number()};
        group.destroy_forced_calls = [](ForcedCalls* calls) { delete calls; };
    }
    std::vector<ForcedCalls::Entry>& entries = group.forced_calls->entries;
    const auto found = std::ranges::find_if(entries, [&](const ForcedCalls::Entry& entry) {
        return entry.sizes.holds(operation, block_bytes) && entry.way == way;
    });
    if (found != entries.end()) return found->cell;
    return add_entry(group, *group.forced_calls, operation, block_bytes, way);
}

}  // namespace

void count_forced_call(Group& group, schedule::Operation operation, std::uint64_t block_bytes,
                       const schedule::Candidate& way) {
    if (group.rank != 0) return;
    try {
        if (FlowCell* cell = cell_for(group, operation, block_bytes, way); cell != nullptr) ++cell->calls;
    } catch (const std::bad_alloc&) {  // the call matters, its count does not
    }
}

}  // namespace clearway::collectives
