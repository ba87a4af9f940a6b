// Where the bytes of one call lie in this rank's memory. Blocks are contiguous: the wrappers pack what is not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clearway::collectives {

// The slots of one buffer of a Program (schedule/schedule.hpp): slot k is `bytes_of(k)` bytes at `address_of(k)`.
struct Blocks {
    std::byte* base = nullptr;
    const std::int64_t* offsets = nullptr;  // bytes from base, by slot; null: slots follow one another
    const std::uint64_t* sizes = nullptr;   // bytes by slot; null: all have `block_bytes`
    std::uint64_t block_bytes = 0;

    std::uint64_t bytes_of(std::uint32_t slot) const { return sizes != nullptr ? sizes[slot] : block_bytes; }
    std::byte* address_of(std::uint32_t slot) const {
        return base + (offsets != nullptr ? offsets[slot] : static_cast<std::int64_t>(slot * block_bytes));
    }
};

struct Exchange {
    Blocks send;  // never written
    Blocks receive;
};

}  // namespace clearway::collectives
