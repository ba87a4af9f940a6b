#include "io_cache/store/frame_table.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

namespace clearway::io_cache {

namespace {

// Memory that the kernel hands out in such pieces costs less than page by page. Where it does not know how, nothing
// happens.
constexpr std::uint32_t kFetchedBytes = 256 << 10;
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, since Linux 5.14

}  // namespace

bool FrameTable::allocate(std::uint32_t frames, std::uint32_t record_bytes) {
    frame_count_ = frames;
    record_bytes_ = record_bytes;
    const int bucket_bits = std::bit_width(frames);  // at least as many buckets as frames
    bucket_shift_ = 64 - bucket_bits;
    return arena_.allocate(std::size_t{frames} * record_bytes) && frames_.allocate(frames + 1) &&
           in_file_.allocate(frames + 1) && pins_.allocate(frames + 1) && free_.allocate(frames) &&
           buckets_.allocate(std::size_t{1} << bucket_bits);
}

FrameId FrameTable::find(RecordKey key) {
    ++lookups_;
    FrameId frame = bucket_of(key);
    if (frame != kNoFrame && frames_[frame].key != key) ++conflicts_;
    while (frame != kNoFrame && frames_[frame].key != key) frame = frames_[frame].next_in_bucket;
    return frame;
}

FrameId FrameTable::next_free() {
    if (free_count_ > 0) return free_[--free_count_];
    if (released_count_ > 0) return free_[frame_count_ - released_count_--];
    const std::uint32_t at_once = kFetchedBytes / record_bytes_;
    if (at_once > 1 && touched_ % at_once == 0)
        madvise(bytes(touched_ + 1), std::size_t{std::min(at_once, limit_ - touched_)} * record_bytes_, kPopulateWrite);
    return ++touched_;
}

FrameId FrameTable::take(RecordKey key) {
    if (in_use() >= limit_) return kNoFrame;
    const FrameId frame = next_free();
    FrameId& bucket = bucket_of(key);
    frames_[frame] = {.key = key,
                      .valid = {},
                      .dirty = {},
                      .base = kUnknownBase,
                      .next_in_bucket = bucket,
                      .ahead = false,
                      .writing_back = false};
    bucket = frame;
    most_in_use_ = std::max(most_in_use_, in_use());
    return frame;
}

void FrameTable::give_back(FrameId frame) {
    FrameId* link = &bucket_of(frames_[frame].key);
    while (*link != frame) link = &frames_[*link].next_in_bucket;
    *link = frames_[frame].next_in_bucket;
    free_[free_count_++] = frame;
}

void FrameTable::release_unused() {
    if (limit_ == 0 && in_use() == 0) {
        if (touched_ > 0) madvise(arena_.data(), std::size_t{touched_} * record_bytes_, MADV_DONTNEED);
        touched_ = free_count_ = released_count_ = 0;
    }
    while (resident() > limit_ && free_count_ > 0) {
        const FrameId frame = free_[--free_count_];
        madvise(bytes(frame), record_bytes_, MADV_DONTNEED);
        free_[frame_count_ - ++released_count_] = frame;
    }
}

}  // namespace clearway::io_cache
