// The records in memory: their bytes, what is known of each, and the hash table that finds them. Not locked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/hash.hpp"
#include "io_cache/mapped_array.hpp"
#include "io_cache/policy/frame_list.hpp"
#include "io_cache/store/base_content.hpp"
#include "io_cache/store/byte_range.hpp"

namespace clearway::io_cache {

struct Frame {
    RecordKey key;
    ByteRange valid;   // what is here
    ByteRange dirty;   // what the file does not have yet; within `valid`
    BaseContent base;  // while there is such: what the file has there
    FrameId next_in_bucket;
    bool ahead;         // read before it was asked for
    bool writing_back;  // its bytes are on their way to the file: wait before touching it
};

class FrameTable {
public:
    // False: there is no memory.
    bool allocate(std::uint32_t frames, std::uint32_t record_bytes);

    // What the table itself takes for a frame, beside the record.
    static constexpr std::uint32_t kOverheadBytes =
        sizeof(Frame) + sizeof(FrameLinks) + sizeof(std::uint16_t) + sizeof(FrameId) + 2 * sizeof(FrameId);

    FrameId find(RecordKey key);

    // A free frame, now with this record and none of its bytes; kNoFrame: as many are taken as may be.
    FrameId take(RecordKey key);
    void give_back(FrameId frame);

    // How many frames may be taken at one time, at most all; 0 at first. Where that are fewer than before, the memory
    // of those that are not in use goes to the kernel.
    void limit_to(std::uint32_t frames) { limit_ = std::min(frames, frame_count_); }
    std::uint32_t limit() const { return limit_; }
    std::uint32_t count() const { return frame_count_; }
    std::uint32_t in_use() const { return resident() - free_count_; }
    std::uint32_t resident() const { return touched_ - released_count_; }
    void release_unused();

    std::byte* bytes(FrameId frame) { return arena_.data() + std::size_t{frame - 1} * record_bytes_; }
    Frame& operator[](FrameId frame) { return frames_[frame]; }

    // Users of a frame at this moment: it may not go.
    bool pinned(FrameId frame) const { return pins_[frame] != 0; }
    void pin(FrameId frame) { ++pins_[frame]; }
    void unpin(FrameId frame) { --pins_[frame]; }
    const std::uint16_t* pins() const { return pins_.data(); }

    // Each frame is in the list of its file.
    FrameLinks* in_file() { return in_file_.data(); }

    std::uint32_t most_in_use() const { return most_in_use_; }
    std::uint64_t lookups() const { return lookups_; }
    std::uint64_t conflicts() const { return conflicts_; }

private:
    FrameId next_free();
    FrameId& bucket_of(RecordKey key) { return buckets_[(key * kGoldenRatio) >> bucket_shift_]; }

    MappedArray<std::byte> arena_;
    MappedArray<Frame> frames_;
    MappedArray<FrameLinks> in_file_;
    MappedArray<std::uint16_t> pins_;
    MappedArray<FrameId> buckets_;
    // Two stacks that grow towards each other: frames that are not in use, and behind them those without memory.
    MappedArray<FrameId> free_;
    std::uint32_t record_bytes_ = 0, frame_count_ = 0, free_count_ = 0, released_count_ = 0;
    std::uint32_t most_in_use_ = 0, limit_ = 0;
    std::uint32_t touched_ = 0;  // frames above were never used: they take no memory yet
    int bucket_shift_ = 0;
    std::uint64_t lookups_ = 0, conflicts_ = 0;
};

}  // namespace clearway::io_cache
