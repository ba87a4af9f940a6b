// The part of a request that falls on one record.
#pragma once

#include <cstdint>
#include <span>

#include "io_cache/policy/frame.hpp"
#include "io_cache/store/byte_range.hpp"

namespace clearway::io_cache {

struct Slot {
    std::uint64_t index = 0;   // of the record
    ByteRange wanted;          // nothing: read ahead
    FrameId frame = kNoFrame;  // none: straight to the file
    bool moved = false;        // whether bytes went between the record and the file for this request
};
using Slots = std::span<Slot>;

enum class Direction : std::uint8_t { read, write };

// One batch of slots is one turn of the pool's lock, and at most one call to the backing for what follows one another.
inline constexpr int kBatchSlots = 128;

}  // namespace clearway::io_cache
