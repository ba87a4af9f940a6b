// The calling thread's aggregates: one cell per (function, communicator, peer, size bin).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/hash.hpp"
#include "recorder/thread.hpp"
#include "run_record/call_cell.hpp"

namespace clearway::recorder {

struct CallKey {
    std::uint16_t function;
    std::uint16_t comm;
    std::int32_t peer;
    std::uint8_t bin;

    // 6 bits of bin, 10 of function, 16 of communicator, 32 of peer; never 0, for a function's id is not.
    std::uint64_t packed() const {
        return static_cast<std::uint64_t>(bin) << 58 | static_cast<std::uint64_t>(function) << 48 |
               static_cast<std::uint64_t>(comm) << 32 | static_cast<std::uint32_t>(peer);
    }
};

// Open addressing with linear probing over private memory; the cells themselves lie in the record and never
// move. Grows by doubling up to kMaxCells; further peers are folded into one cell a function (kPeerOther).
struct CallTable {
    struct Slot {
        std::uint64_t key;
        CallCell* cell;
    };
    static constexpr std::uint32_t kFirstCells = 64;
    static constexpr std::uint32_t kMaxCells = 32768;

    Slot* slots;
    std::uint64_t mask;
    std::uint32_t shift;  // 64 less the bits of mask
    std::uint32_t used;
    std::uint32_t thread;
    CallCell* free_cell;  // next in the newest segment
    SegmentEntry* segment;
    std::uint32_t next_capacity;

    // Where the search for a key begins: the product's high bits, for these depend on all bits of the key.
    std::uint64_t home(std::uint64_t key) const { return (key * kGoldenRatio) >> shift; }
};

// Where in the record the cells lie, for the sampler.
struct CellBlock {
    const CallCell* cells;  // null until the rest is there
    const SegmentEntry* entry;
};
extern CellBlock cell_blocks[];
extern std::uint32_t cell_block_count;

// Calls visit(cells, number) for each stretch of cells of a thread.
template <class Visit>
void for_each_block(std::uint32_t thread, const Visit& visit) {
    const std::uint32_t blocks = std::min(__atomic_load_n(&cell_block_count, __ATOMIC_RELAXED), kMaxSegments);
    for (std::uint32_t i = 0; i < blocks; ++i) {
        const CallCell* cells = __atomic_load_n(&cell_blocks[i].cells, __ATOMIC_ACQUIRE);
        if (cells != nullptr && cell_blocks[i].entry->thread == thread)
            visit(cells, __atomic_load_n(&cell_blocks[i].entry->count, __ATOMIC_ACQUIRE));
    }
}

// That of a key, or the free one where it would stand.
CallTable::Slot& slot_for(const CallTable& table, std::uint64_t packed);

// Cell of `key`, made at first sight; null when there is no room at all.
CallCell* make_cell(ThreadState& thread, CallKey key);

// The cell that stands where the search for it begins, as nearly all do; else null.
[[gnu::always_inline]] inline CallCell* cell_at_home(const ThreadState& thread, CallKey key) {
    const CallTable* table = thread.calls;
    if (table == nullptr) [[unlikely]]
        return nullptr;
    const std::uint64_t packed = key.packed();
    const CallTable::Slot& slot = table->slots[table->home(packed)];
    return slot.key == packed ? slot.cell : nullptr;
}

// Null where there is none yet.
inline CallCell* known_cell(const ThreadState& thread, CallKey key) {
    CallCell* cell = cell_at_home(thread, key);
    if (cell != nullptr || thread.calls == nullptr) [[likely]]
        return cell;
    return slot_for(*thread.calls, key.packed()).cell;
}

inline CallCell* find_cell(ThreadState& thread, CallKey key) {
    CallCell* cell = known_cell(thread, key);
    return cell != nullptr ? cell : make_cell(thread, key);
}

}  // namespace clearway::recorder
