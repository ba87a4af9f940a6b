// The part of a request that falls on one record.
#pragma once

#include <cstdint>
#include <span>

#include "io_cache/policy/frame.hpp"
#include "io_cache/store/byte_range.hpp"

namespace clearway::io_cache {

struct RecordPart {
    std::uint64_t index = 0;   // of the record
    ByteRange wanted;          // nothing: read ahead
    FrameId frame = kNoFrame;  // none: straight to the file
    bool moved = false;        // whether bytes went between the record and the file for this request
};
using RecordParts = std::span<RecordPart>;

enum class Direction : std::uint8_t { read, write };

// One batch of parts is one turn of the pool's lock, and at most one call to the backing for what follows one another.
inline constexpr int kBatchParts = 128;

}  // namespace clearway::io_cache
