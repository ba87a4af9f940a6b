#include "io_cache/store/pool.hpp"

#include <algorithm>
#include <cerrno>

namespace clearway::io_cache {

int Pool::cut(File& file, off_t size_bytes) {
    if (file.backing_bytes > size_bytes || file.is_size_synced)
        if (const int error = resize(file, size_bytes); error != 0) return error;
    {
        Lock lock(mutex_);
        forget_beyond(lock, file, size_bytes);
        miss_ratio_curve_->cut(
            record_key(file.id, (static_cast<std::uint64_t>(size_bytes) + record_bytes_ - 1) / record_bytes_));
    }
    // Records beyond may have been written back between the two.
    return file.backing_bytes > size_bytes ? resize(file, size_bytes) : 0;
}

int Pool::sync_size(File& file) {
    const off_t size_bytes = file.size_bytes;
    return file.backing_bytes < size_bytes ? resize(file, size_bytes) : 0;
}

int Pool::resize(File& file, off_t size_bytes) {
    if (file.backing.truncate(file.backing.context, size_bytes) != 0) return errno;
    const Lock lock(mutex_);
    file.backing_bytes = size_bytes;
    file.stored_bytes = std::min<off_t>(file.stored_bytes, size_bytes);
    return 0;
}

void Pool::forget_beyond(Lock& lock, File& file, off_t size_bytes) {
    const std::uint64_t last = static_cast<std::uint64_t>(size_bytes) / record_bytes_;
    const auto kept = static_cast<std::uint32_t>(static_cast<std::uint64_t>(size_bytes) % record_bytes_);
    FrameId frame = file.records.front();
    while (frame != kNoFrame) {
        if (frames_[frame].writing_back) {
            written_back_.wait(lock);
            frame = file.records.front();
            continue;
        }
        const FrameId next = frames_.in_file()[frame].next;
        const std::uint64_t index = index_of(frames_[frame].key);
        if (index == last) {
            frames_[frame].valid = frames_[frame].valid.before(kept);
            frames_[frame].dirty = frames_[frame].dirty.before(kept);
            if (frames_[frame].dirty.empty()) mark_clean(file, frame);
        }
        if (index > last || (index == last && frames_[frame].valid.empty())) {
            policy_->forget(frame);
            remove(file, frame);
        }
        frame = next;
    }
}

void Pool::drop(File& file) {
    Lock lock(mutex_);
    forget_beyond(lock, file, 0);
    policy_->note_drop(file.id);
    miss_ratio_curve_->drop(file.id);
    file.in_use = false;
    if (allowance_.is_shared() && frames_.in_use() == 0) {
        frames_.limit_to(0);
        frames_.release_unused();
        allowance_.keep_nothing();
    }
}

void Pool::remove(File& file, FrameId frame) {
    file.records.remove(frames_.in_file(), frame);
    frames_.give_back(frame);
}

}  // namespace clearway::io_cache
