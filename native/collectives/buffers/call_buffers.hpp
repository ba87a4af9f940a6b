// Shows the executor a call's buffers as blocks of bytes: the program's own memory where it is that already, else
// copies, packed before and unpacked after.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/buffers/block_list.hpp"
#include "collectives/buffers/kept_memory.hpp"
#include "collectives/call.hpp"
#include "collectives/exchange.hpp"

namespace clearway::collectives {

// One side. Kept between calls for its memory.
class SideBuffer {
public:
    void list(const Side& side, std::uint32_t ranks);

    // Whether the program's memory can be moved as bytes.
    bool is_plain() const;
    void show_program_memory();
    // Of another side one block alone, where that shows it.
    void show_block_of(const SideBuffer& other, std::uint32_t block);
    // Memory of our own, of any content; there is room for it. False where there is none.
    bool make_room();
    void show_copies();

    // Between the program's memory and the copies; MPI_SUCCESS or an error code.
    int pack_block(std::uint32_t block);
    int pack_blocks();
    int unpack_blocks() const;

    void give_back_large_copies();
    // Messages into and out of the copies may still be under way.
    void keep_for_good();

    const std::vector<std::uint64_t>& sizes() const { return sizes_; }
    Blocks blocks() const;

private:
    std::byte* shown_at(std::uint32_t block) const;

    bool is_regular_ = false;  // blocks of one size that follow one another
    std::vector<TypedBlock> typed_;
    std::vector<std::uint64_t> sizes_;
    std::byte* base_ = nullptr;
    std::vector<std::int64_t> offsets_;  // where blocks are shown, from base_
    KeptMemory room_;
};

class CallBuffers {
public:
    // Reads the call's arguments and makes room for what must be copied. False, or std::bad_alloc, where there is none.
    bool prepare(const Call& call, std::uint32_t ranks);
    // Packs and unpacks; MPI_SUCCESS or an error code.
    int open(const Call& call, std::uint32_t rank);
    int close();
    // After an error, instead of `close`.
    void keep_for_good();

    Exchange exchange() const { return {.send = send_.blocks(), .receive = receive_.blocks()}; }
    const std::vector<std::uint64_t>& send_bytes() const { return send_.sizes(); }
    const std::vector<std::uint64_t>& receive_bytes() const { return receive_.sizes(); }

private:
    SideBuffer send_, receive_;
    bool receives_copies_ = false, sends_copies_ = false;
};

}  // namespace clearway::collectives
