// Shows the executor a call's buffers as blocks of bytes: the program's own memory where it is that already, else
// copies, packed before and unpacked after.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/buffers/block_list.hpp"
#include "collectives/buffers/room.hpp"
#include "collectives/call.hpp"
#include "collectives/exchange.hpp"

namespace clearway {

// One side. Kept between calls for its memory.
class SideBuffer {
public:
    void list(const Side& side, std::uint32_t ranks);
    bool can_be_packed(Arg comm) const;

    // Whether the program's memory can be moved as bytes.
    bool is_plain() const;
    void show_program_memory();
    // Of another side one block alone, where that shows it.
    void show_block_of(const SideBuffer& other, std::uint32_t block);
    // Memory of our own, of any content. False where there is none.
    bool show_copies();

    // Between the program's memory and the copies; MPI_SUCCESS or an error code.
    int pack_block(std::uint32_t block, Arg comm);
    int pack_blocks(Arg comm);
    int unpack_blocks(Arg comm) const;

    void give_back_large_copies();

    const std::vector<std::uint64_t>& sizes() const { return sizes_; }
    Blocks blocks() const;

private:
    std::byte* shown_at(std::uint32_t block) const;

    bool is_regular_ = false;  // blocks of one size that follow one another
    std::vector<TypedBlock> typed_;
    std::vector<std::uint64_t> sizes_;
    std::byte* base_ = nullptr;
    std::vector<std::int64_t> offsets_;  // where blocks are shown, from base_
    Room room_;
};

class CallBuffers {
public:
    // Reads the call's arguments. False where MPI refuses a type. `comm` is ours here and below.
    bool read(const Call& call, std::uint32_t ranks, Arg comm);
    // Packs and unpacks; MPI_SUCCESS or an error code.
    int open(const Call& call, std::uint32_t rank, Arg comm);
    int close(Arg comm);

    Exchange exchange() const { return {.send = send_.blocks(), .receive = receive_.blocks()}; }
    const std::vector<std::uint64_t>& send_bytes() const { return send_.sizes(); }
    const std::vector<std::uint64_t>& receive_bytes() const { return receive_.sizes(); }

private:
    int open_receive();
    int open_send(Arg comm);
    int open_send_in_place(const Call& call, std::uint32_t rank, Arg comm);

    SideBuffer send_, receive_;
    bool receives_copies_ = false;
};

}  // namespace clearway
