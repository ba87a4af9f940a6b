#include "io_cache/store/pool.hpp"

#include <algorithm>

namespace clearway::io_cache {

std::uint64_t Pool::bytes_of(std::uint64_t frames) const {
    return frames * (record_bytes_ + FrameTable::kOverheadBytes);
}

std::uint32_t Pool::frames_in(std::uint64_t bytes) const {
    const std::uint64_t frames = (bytes + bytes_of(1) - 1) / bytes_of(1);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(frames, frames_.count()));
}

void Pool::keep_memory() { allowance_.keep(bytes_of(std::max(frames_.limit(), frames_.resident()))); }

bool Pool::grow() {
    if (frames_.limit() == frames_.count()) return false;
    const std::uint64_t had = allowance_.take(allowance_.step_bytes());
    const auto frames = static_cast<std::uint32_t>(had / bytes_of(1));
    frames_.limit_to(frames_.limit() + frames);
    most_limit_ = std::max(most_limit_, frames_.limit());
    keep_memory();
    return frames > 0;
}

void Pool::yield_memory(Lock& lock) {
    if (const std::uint64_t missing = allowance_.missing_bytes(); missing > 0) {
        frames_.limit_to(frames_.resident());  // more than that would give back nothing
        give(lock, 0, frames_in(missing));
    }
    if (const SharedBudget::Owed owed = allowance_.owed(); owed.unused_bytes + owed.used_bytes > 0)
        give(lock, frames_in(owed.unused_bytes), frames_in(owed.used_bytes));
}

// Gives up `any` frames, or `unused` ones if they are more.
void Pool::give(Lock& lock, std::uint32_t unused, std::uint32_t any) {
    const std::uint32_t idle = frames_.limit() - std::min(frames_.limit(), frames_.in_use());
    const std::uint32_t given = std::min(idle, std::max(unused, any));
    frames_.limit_to(frames_.limit() - given);
    for (std::uint32_t i = given; i < any; ++i) {
        const FrameId victim = policy_->victim(RecordKey{0}, true, frames_.pins());
        if (victim == kNoFrame) break;
        if (!frames_[victim].dirty.empty()) {
            if (write_back(lock, victim) != 0) break;
            continue;  // the lock was open: others came and went
        }
        evict(victim);
        frames_.limit_to(frames_.limit() - 1);
    }
    frames_.release_unused();
    keep_memory();
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
    frames_.release_unused();  // where less may be had than before
    policy_->insert(frame, incoming);
    return frame;
}

void Pool::evict(FrameId frame) {
    File& file = files_[file_of(frames_[frame].key)];
    ++(file.serial ? counts_.evicted_serial : counts_.evicted_other);
    policy_->evict(frame);
    remove(file, frame);
}

}  // namespace clearway::io_cache
