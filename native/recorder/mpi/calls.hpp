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

    // 10 bits of function, 11 of communicator, 6 of bin, 32 of peer; never 0, for a function's id is not.
    std::uint64_t packed() const {
        return static_cast<std::uint64_t>(function) << 49 | static_cast<std::uint64_t>(comm & 0x7ffU) << 38 |
               static_cast<std::uint64_t>(bin & 0x3fU) << 32 | static_cast<std::uint32_t>(peer);
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
    std::uint32_t used;
    std::uint32_t thread;
    CallCell* free_cell;  // next in the newest segment
    SegmentEntry* segment;
    std::uint32_t next_capacity;

    static std::uint64_t hash(std::uint64_t key) { return (key * kGoldenRatio) >> 32; }
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

// Cell of `key`, made at first sight; null when there is no room at all.
CallCell* make_cell(ThreadState& thread, CallKey key);

// Null where there is none yet.
inline CallCell* known_cell(const ThreadState& thread, CallKey key) {
    const CallTable* table = thread.calls;
    if (table == nullptr) [[unlikely]]
        return nullptr;
    const std::uint64_t packed = key.packed();
    for (std::uint64_t i = CallTable::hash(packed) & table->mask;; i = (i + 1) & table->mask) {
        const CallTable::Slot& slot = table->slots[i];
        if (slot.key == packed) [[likely]]
            return slot.cell;
        if (slot.key == 0) return nullptr;
    }
}

inline CallCell* find_cell(ThreadState& thread, CallKey key) {
    CallCell* cell = known_cell(thread, key);
    return cell != nullptr ? cell : make_cell(thread, key);
}

}  // namespace clearway::recorder
