#include "collectives/buffers/call_buffers.hpp"

#include <algorithm>

#include "collectives/own_mpi.hpp"

namespace clearway {

namespace {

// Copies of an unusually large call are not kept.
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{64} << 20;

// MPI_ERR_NO_MEM.
int no_memory() { return abi.abi == Abi::mpich ? 34 : 39; }

}  // namespace

void SideBuffer::list(const Side& side, std::uint32_t ranks) {
    list_blocks(side, ranks, typed_);
    is_regular_ = side.division == Division::equal || side.division == Division::one_block;
    sizes_.resize(typed_.size());
    offsets_.assign(typed_.size(), 0);
    std::ranges::transform(typed_, sizes_.begin(), &TypedBlock::bytes);
}

bool SideBuffer::can_be_packed(Arg comm) const {
    Arg seen = 0;
    for (std::size_t i = 0; i < typed_.size(); ++i) {
        if (sizes_[i] == 0 || typed_[i].shape.type == seen) continue;
        if (!can_pack(typed_[i].shape, comm)) return false;
        seen = typed_[i].shape.type;
    }
    return true;
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

bool SideBuffer::show_copies() {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
        offsets_[i] = static_cast<std::int64_t>(total);
        total += sizes_[i];
    }
    base_ = room_.of(total);
    return base_ != nullptr;
}

int SideBuffer::pack_block(std::uint32_t block, Arg comm) { return pack(typed_[block], shown_at(block), comm); }

int SideBuffer::pack_blocks(Arg comm) {
    for (std::uint32_t i = 0; i < typed_.size(); ++i)
        if (const int code = pack_block(i, comm); code != kMpiSuccess) return code;
    return kMpiSuccess;
}

int SideBuffer::unpack_blocks(Arg comm) const {
    for (std::uint32_t i = 0; i < typed_.size(); ++i)
        if (const int code = unpack(shown_at(i), typed_[i], comm); code != kMpiSuccess) return code;
    return kMpiSuccess;
}

void SideBuffer::give_back_large_copies() { room_.shrink_to(kMostKeptBytes); }

Blocks SideBuffer::blocks() const {
    if (is_regular_) return {.base = base_, .block_bytes = sizes_[0]};
    return {.base = base_, .offsets = offsets_.data(), .sizes = sizes_.data()};
}

std::byte* SideBuffer::shown_at(std::uint32_t block) const {
    const Blocks shown = blocks();
    return shown.bytes_of(block) == 0 ? nullptr : shown.address_of(block);
}

bool CallBuffers::read(const Call& call, std::uint32_t ranks, Arg comm) {
    receive_.list(call.receive, ranks);
    send_.list(call.send.is_in_place() ? call.receive : call.send, ranks);
    return receive_.can_be_packed(comm) && send_.can_be_packed(comm);
}

int CallBuffers::open(const Call& call, std::uint32_t rank, Arg comm) {
    const int code = open_receive();
    if (code != kMpiSuccess) return code;
    return call.send.is_in_place() ? open_send_in_place(call, rank, comm) : open_send(comm);
}

int CallBuffers::close(Arg comm) {
    const int code = receives_copies_ ? receive_.unpack_blocks(comm) : kMpiSuccess;
    send_.give_back_large_copies();
    receive_.give_back_large_copies();
    return code;
}

int CallBuffers::open_receive() {
    receives_copies_ = !receive_.is_plain();
    if (receives_copies_) return receive_.show_copies() ? kMpiSuccess : no_memory();
    receive_.show_program_memory();
    return kMpiSuccess;
}

int CallBuffers::open_send(Arg comm) {
    if (send_.is_plain()) {
        send_.show_program_memory();
        return kMpiSuccess;
    }
    return send_.show_copies() ? send_.pack_blocks(comm) : no_memory();
}

// An allgather's own block lies where it will be received. The blocks of an alltoall do so too, but are overwritten
// while they are still to be sent: they are copied.
int CallBuffers::open_send_in_place(const Call& call, std::uint32_t rank, Arg comm) {
    if (schedule::is_allgather(call.operation)) {
        const int code = receives_copies_ ? receive_.pack_block(rank, comm) : kMpiSuccess;
        send_.show_block_of(receive_, rank);
        return code;
    }
    return send_.show_copies() ? send_.pack_blocks(comm) : no_memory();
}

}  // namespace clearway
