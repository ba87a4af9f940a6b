#include "collectives/memory.hpp"

#include <cstring>

namespace clearway {

using schedule::Buffer;
using schedule::Range;
using schedule::Slots;

namespace {

// In place, an allgather's own block lies where it belongs.
void copy_bytes(std::byte* into, const std::byte* from, std::uint64_t bytes) {
    if (bytes != 0 && into != from) std::memcpy(into, from, bytes);
}

}  // namespace

Memory::Memory(const schedule::Program& program, const Exchange& exchange) : program_(program), exchange_(exchange) {
    scratch_.block_bytes = exchange.send.bytes_of(0);  // operations that use scratch have blocks of one size
    scratch_room_.resize(program.scratch_slots * scratch_.block_bytes);
    scratch_.base = scratch_room_.data();
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

void Memory::scatter(const std::byte* from, Range slots) const {
    each_block(slots, [&](std::byte* block, std::uint64_t bytes) {
        copy_bytes(block, from, bytes);
        from += bytes;
    });
}

void Memory::copy(Range from, Range into) const {
    if (const std::byte* source = contiguous(from); source != nullptr) return scatter(source, into);
    if (std::byte* target = contiguous(into); target != nullptr) return gather(from, target);
    std::vector<std::byte> between(bytes_of(from));
    gather(from, between.data());
    scatter(between.data(), into);
}

}  // namespace clearway
