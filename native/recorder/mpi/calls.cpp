#include "recorder/mpi/calls.hpp"

#include <sys/mman.h>
#include <bit>
#include <cerrno>

#include "recorder/mpi/functions.hpp"

namespace clearway::recorder {

CellBlock cell_blocks[kMaxSegments];
std::uint32_t cell_block_count = 0;

CallTable::Slot& slot_for(const CallTable& table, std::uint64_t packed) {
    std::uint64_t i = table.home(packed);
    while (table.slots[i].key != 0 && table.slots[i].key != packed) i = (i + 1) & table.mask;
    return table.slots[i];
}

namespace {

void* private_memory(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : nullptr;
}

CallTable* make_table(std::uint32_t thread) {
    constexpr std::uint64_t kFirstSlots = 256;
    void* memory = private_memory(sizeof(CallTable) + kFirstSlots * sizeof(CallTable::Slot));
    if (memory == nullptr) return nullptr;
    auto* table = static_cast<CallTable*>(memory);
    table->slots = reinterpret_cast<CallTable::Slot*>(table + 1);
    table->mask = kFirstSlots - 1;
    table->shift = 64 - std::bit_width(table->mask);
    table->thread = thread;
    table->next_capacity = CallTable::kFirstCells;
    return table;
}

// The old index stays mapped: it is a half of the new one, and nothing frees memory inside a call.
bool grow_index(CallTable& table) {
    const std::uint64_t slots = (table.mask + 1) * 2;
    void* memory = private_memory(slots * sizeof(CallTable::Slot));
    if (memory == nullptr) return false;
    const CallTable old = table;
    table.slots = static_cast<CallTable::Slot*>(memory);
    table.mask = slots - 1;
    --table.shift;
    for (std::uint64_t i = 0; i <= old.mask; ++i)
        if (old.slots[i].key != 0) slot_for(table, old.slots[i].key) = old.slots[i];
    return true;
}

CallCell* place_cell(CallTable& table) {
    if (table.segment == nullptr || table.segment->count == table.segment->capacity) {
        SegmentEntry* entry = nullptr;
        void* cells =
            process.file.add_segment(SegmentKind::calls, sizeof(CallCell), table.next_capacity, table.thread, &entry);
        if (cells == nullptr) return nullptr;
        table.segment = entry;
        const std::uint32_t block = __atomic_fetch_add(&cell_block_count, 1, __ATOMIC_RELAXED);
        if (block < kMaxSegments) {
            cell_blocks[block].entry = entry;
            __atomic_store_n(&cell_blocks[block].cells, static_cast<const CallCell*>(cells), __ATOMIC_RELEASE);
        }
        table.free_cell = static_cast<CallCell*>(cells);
        table.next_capacity *= 2;
    }
    return table.free_cell++;
}

}  // namespace

CallCell* make_cell(ThreadState& thread, CallKey key) {
    const int saved_errno = errno;
    if (thread.calls == nullptr) thread.calls = make_table(thread.index);
    CallCell* cell = nullptr;
    CallTable* table = thread.calls;
    const bool folded = key.peer == kPeerOther;
    const bool room = table != nullptr && (table->used < CallTable::kMaxCells || folded) &&
                      (table->used * 2 < table->mask + 1 || grow_index(*table));
    if (room) cell = place_cell(*table);
    if (cell != nullptr) {
        *cell = empty_cell(key.function, key.comm, key.peer, key.bin, table->thread);
        __atomic_store_n(&table->segment->count, table->segment->count + 1, __ATOMIC_RELEASE);
        slot_for(*table, key.packed()) = {key.packed(), cell};
        ++table->used;
        announce_function(key.function);
    } else if (table != nullptr && !folded) {
        process.file.drop(SegmentKind::calls);
        errno = saved_errno;
        return find_cell(thread, CallKey{key.function, key.comm, kPeerOther, key.bin});
    } else {
        process.file.drop(SegmentKind::calls);
    }
    errno = saved_errno;
    return cell;
}

}  // namespace clearway::recorder
