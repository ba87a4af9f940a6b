#include "collectives/slot_memory.hpp"

#include <algorithm>
#include <cstring>

namespace clearway::collectives {

using schedule::Buffer;
using schedule::Range;
using schedule::Slots;

namespace {

// In place, an allgather's own block lies where it belongs.
void copy_bytes(std::byte* into, const std::byte* from, std::uint64_t bytes) {
    if (bytes != 0 && into != from) std::memcpy(into, from, bytes);
}

}  // namespace

// Operations that use scratch have blocks of one size.
SlotMemory::SlotMemory(const schedule::Program& program, const Exchange& exchange, std::byte* scratch)
    : program_(program), exchange_(exchange), scratch_{.base = scratch, .block_bytes = exchange.send.bytes_of(0)} {}

std::uint64_t SlotMemory::scratch_bytes(const schedule::Program& program, const Exchange& exchange) {
    return program.scratch_slots * exchange.send.bytes_of(0);
}

const Blocks& SlotMemory::blocks_of(Buffer buffer) const {
    if (buffer == Buffer::send) return exchange_.send;
    return buffer == Buffer::receive ? exchange_.receive : scratch_;
}

template <class Visit>
void SlotMemory::each_block(Range slots, Visit visit) const {
    for (std::uint32_t i = 0; i < slots.count; ++i) {
        const Slots& run = program_.slots[slots.first + i];
        const Blocks& blocks = blocks_of(run.buffer);
        if (blocks.offsets == nullptr && blocks.sizes == nullptr) {  // the run is one stretch
            visit(blocks.address_of(run.first), run.count * blocks.block_bytes);
            continue;
        }
        for (std::uint32_t slot = run.first; slot < run.first + run.count; ++slot)
            visit(blocks.address_of(slot), blocks.bytes_of(slot));
    }
}

Stretch SlotMemory::stretch_of(Range slots) const {
    Stretch stretch;
    const std::byte* end = nullptr;
    bool follows = true;
    each_block(slots, [&](std::byte* block, std::uint64_t bytes) {
        if (bytes == 0) return;
        if (stretch.data == nullptr) stretch.data = block;
        follows = follows && (end == nullptr || end == block);
        end = block + bytes;
        stretch.bytes += bytes;
    });
    if (!follows) stretch.data = nullptr;
    return stretch;
}

void SlotMemory::gather(Range slots, std::byte* into) const {
    each_block(slots, [&](const std::byte* block, std::uint64_t bytes) {
        copy_bytes(into, block, bytes);
        into += bytes;
    });
}

void SlotMemory::scatter(const Stretch& from, Range slots) const {
    Stretch left = from;
    each_block(slots, [&](std::byte* block, std::uint64_t room) {
        const std::uint64_t here = std::min(room, left.bytes);
        copy_bytes(block, left.data, here);
        left.data += here;
        left.bytes -= here;
    });
}

void SlotMemory::copy(Range from, Range into, std::byte* between) const {
    const Stretch source = stretch_of(from);
    if (source.data != nullptr) return scatter(source, into);
    const Stretch target = stretch_of(into);
    if (target.data != nullptr && source.bytes <= target.bytes) return gather(from, target.data);
    gather(from, between);
    scatter({between, source.bytes}, into);
}

}  // namespace clearway::collectives
