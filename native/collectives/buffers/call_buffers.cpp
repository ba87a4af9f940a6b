#include "collectives/buffers/call_buffers.hpp"

#include <algorithm>
#include <numeric>

#include "collectives/own_mpi.hpp"

namespace clearway::collectives {

void SideBuffer::list(const Side& side, std::uint32_t ranks) {
    list_blocks(side, ranks, typed_);
    is_regular_ = side.division == Division::equal || side.division == Division::one_block;
    sizes_.resize(typed_.size());
    offsets_.assign(typed_.size(), 0);
    std::ranges::transform(typed_, sizes_.begin(), &TypedBlock::bytes);
}

bool SideBuffer::is_plain() const {
    return std::ranges::all_of(typed_,
                               [](const TypedBlock& block) { return block.shape.is_plain || block.count == 0; });
}

// Offsets are from the first block that has bytes: the buffer itself may be MPI_BOTTOM, or null where all are empty.
void SideBuffer::show_program_memory() {
    base_ = nullptr;
    for (std::size_t i = 0; i < typed_.size(); ++i) {
        if (sizes_[i] == 0) continue;
        if (base_ == nullptr) base_ = typed_[i].address;
        offsets_[i] = to_arg(typed_[i].address) - to_arg(base_);
    }
}

void SideBuffer::show_block_of(const SideBuffer& other, std::uint32_t block) {
    is_regular_ = true;
    sizes_.assign(1, other.sizes_[block]);
    offsets_.assign(1, 0);
    base_ = other.shown_at(block);
}

bool SideBuffer::make_room() {
    return room_.of(std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{0})) != nullptr;
}

void SideBuffer::show_copies() {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
        offsets_[i] = static_cast<std::int64_t>(total);
        total += sizes_[i];
    }
    base_ = room_.of(total);
}

int SideBuffer::pack_block(std::uint32_t block) { return pack(typed_[block], shown_at(block)); }

int SideBuffer::pack_blocks() {
    for (std::uint32_t i = 0; i < typed_.size(); ++i)
        if (const int code = pack_block(i); code != kMpiSuccess) return code;
    return kMpiSuccess;
}

int SideBuffer::unpack_blocks() const {
    for (std::uint32_t i = 0; i < typed_.size(); ++i)
        if (const int code = unpack(shown_at(i), typed_[i]); code != kMpiSuccess) return code;
    return kMpiSuccess;
}

void SideBuffer::keep_for_good() { room_.keep_for_good(); }

void SideBuffer::give_back_large_copies() { room_.shrink_to(kMostKeptBytes); }

Blocks SideBuffer::blocks() const {
    if (is_regular_) return {.base = base_, .block_bytes = sizes_[0]};
    return {.base = base_, .offsets = offsets_.data(), .sizes = sizes_.data()};
}

std::byte* SideBuffer::shown_at(std::uint32_t block) const {
    const Blocks shown = blocks();
    return shown.bytes_of(block) == 0 ? nullptr : shown.address_of(block);
}

bool CallBuffers::prepare(const Call& call, std::uint32_t ranks) {
    receive_.list(call.receive, ranks);
    send_.list(call.send.is_in_place() ? call.receive : call.send, ranks);
    receives_copies_ = !receive_.is_plain();
    const bool overwrites = call.send.is_in_place() && !schedule::is_allgather(call.operation);
    sends_copies_ = call.send.is_in_place() ? overwrites : !send_.is_plain();
    return (!receives_copies_ || receive_.make_room()) && (!sends_copies_ || send_.make_room());
}

int CallBuffers::open(const Call& call, std::uint32_t rank) {
    receives_copies_ ? receive_.show_copies() : receive_.show_program_memory();
    if (sends_copies_) {
        send_.show_copies();
        return send_.pack_blocks();
    }
    if (!call.send.is_in_place()) {
        send_.show_program_memory();
        return kMpiSuccess;
    }
    // An allgather's own block lies where it will be received.
    const int code = receives_copies_ ? receive_.pack_block(rank) : kMpiSuccess;
    send_.show_block_of(receive_, rank);
    return code;
}

int CallBuffers::close() {
    const int code = receives_copies_ ? receive_.unpack_blocks() : kMpiSuccess;
    send_.give_back_large_copies();
    receive_.give_back_large_copies();
    return code;
}

void CallBuffers::keep_for_good() {
    send_.keep_for_good();
    receive_.keep_for_good();
}

}  // namespace clearway::collectives
