#include "collectives/memory.hpp"

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
Memory::Memory(const schedule::Program& program, const Exchange& exchange, std::byte* scratch)
    : program_(program), exchange_(exchange), scratch_{.base = scratch, .block_bytes = exchange.send.bytes_of(0)} {}

std::uint64_t Memory::scratch_bytes(const schedule::Program& program, const Exchange& exchange) {
    return program.scratch_slots * exchange.send.bytes_of(0);
}

const Blocks& Memory::blocks_of(Buffer buffer) const {
    if (buffer == Buffer::send) return exchange_.send;
    return buffer == Buffer::receive ? exchange_.receive : scratch_;
}

template <class Visit>
void Memory::each_block(Range slots, Visit visit) const {
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

std::uint64_t Memory::bytes_of(Range slots) const {
    std::uint64_t total = 0;
    each_block(slots, [&](std::byte*, std::uint64_t bytes) { total += bytes; });
    return total;
}

std::byte* Memory::contiguous(Range slots) const {
    std::byte* begin = nullptr;
    std::byte* end = nullptr;
    bool follows = true;
    each_block(slots, [&](std::byte* block, std::uint64_t bytes) {
        if (bytes == 0) return;
        if (begin == nullptr) begin = block;
        follows = follows && (end == nullptr || end == block);
        end = block + bytes;
    });
    return follows ? begin : nullptr;
}

void Memory::gather(Range slots, std::byte* into) const {
    each_block(slots, [&](const std::byte* block, std::uint64_t bytes) {
        copy_bytes(into, block, bytes);
        into += bytes;
    });
}

void Memory::scatter(const std::byte* from, std::uint64_t bytes, Range slots) const {
    each_block(slots, [&](std::byte* block, std::uint64_t room) {
        const std::uint64_t here = std::min(room, bytes);
        copy_bytes(block, from, here);
        from += here;
        bytes -= here;
    });
}

void Memory::copy(Range from, Range into, std::byte* between) const {
    const std::uint64_t bytes = bytes_of(from);
    if (const std::byte* source = contiguous(from); source != nullptr) return scatter(source, bytes, into);
    if (std::byte* target = contiguous(into); target != nullptr && bytes <= bytes_of(into)) return gather(from, target);
    gather(from, between);
    scatter(between, bytes, into);
}

}  // namespace clearway::collectives
