#include "io_cache/store/pool.hpp"

#include <time.h>

#include <algorithm>

#include "io_cache/store/headroom.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint64_t kReserveBytes = 128 << 20;  // is left to others
constexpr std::uint32_t kGrowthBytes = 4 << 20;
constexpr std::uint64_t kAskEveryNs = 200'000'000;

std::uint64_t now_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

// At most a few times a second, as it costs some system calls.
bool Pool::may_ask_for_headroom() {
    const std::uint64_t now = now_ns();
    if (now - asked_ns_ < kAskEveryNs) return false;
    asked_ns_ = now;
    return true;
}

// Takes more memory, as long as there is some to spare.
bool Pool::grow() {
    if (frames_.limit() == frames_.count()) return false;
    if (is_short_ && !may_ask_for_headroom()) return false;
    is_short_ = headroom_bytes() < kReserveBytes + kGrowthBytes;
    if (is_short_) return false;
    frames_.limit_to(frames_.limit() + std::max<std::uint32_t>(kMinFrames, kGrowthBytes / record_bytes_));
    return true;
}

// Gives memory back where it has become short.
void Pool::yield_memory() {
    if (frames_.limit() <= kMinFrames || !may_ask_for_headroom()) return;
    const std::uint64_t headroom = headroom_bytes();
    if (headroom >= kReserveBytes / 2) return;
    is_short_ = true;
    const std::uint64_t frames = (kReserveBytes - headroom) / record_bytes_;
    frames_.limit_to(frames_.in_use() > frames + kMinFrames ? static_cast<std::uint32_t>(frames_.in_use() - frames)
                                                            : kMinFrames);
    while (frames_.in_use() > frames_.limit()) {
        const FrameId victim = policy_->victim(RecordKey{0}, true, frames_.pins());
        // To write it back would move it to the page cache, and save nothing before the disk has it.
        if (victim == kNoFrame || !frames_[victim].dirty.empty()) return;
        evict(victim);
        frames_.release_memory(victim);
    }
}

FrameId Pool::make_room(Lock& lock, RecordKey incoming, bool must) {
    FrameId frame = frames_.take(incoming);
    if (frame == kNoFrame && grow()) frame = frames_.take(incoming);
    while (frame == kNoFrame) {
        const FrameId victim = policy_->victim(incoming, must, frames_.pins());
        if (victim == kNoFrame) return kNoFrame;
        if (!frames_[victim].dirty.empty()) {
            if (write_back(lock, victim) != 0) return kNoFrame;
            frame = frames_.take(incoming);  // the lock was open: others came and went
            continue;
        }
        evict(victim);
        frame = frames_.take(incoming);
    }
    policy_->enter(frame, incoming);
    return frame;
}

void Pool::evict(FrameId frame) {
    File& file = files_[file_of(frames_[frame].key)];
    ++(file.serial ? counts_.evicted_serial : counts_.evicted_other);
    policy_->evict(frame);
    remove(file, frame);
}

}  // namespace clearway::io_cache
