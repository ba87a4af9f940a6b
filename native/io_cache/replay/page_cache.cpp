#include "io_cache/replay/page_cache.hpp"

#include <algorithm>
#include <cmath>

namespace clearway::io_cache {

// inactive_is_low(): the active list may be so many times as long as the inactive one.
PageCache::PageCache(std::uint32_t frames, std::uint32_t page_bytes)
    : links_(frames + 1),
      pages_(frames + 1),
      inactive_ratio_(std::max<std::uint32_t>(
          1, static_cast<std::uint32_t>(
                 std::sqrt(10.0 * static_cast<double>(std::uint64_t{frames} * page_bytes >> 30))))) {}

void PageCache::insert(FrameId frame, RecordKey key) {
    pages_[frame] = {key, false, false};
    inactive_.push_front(links_.data(), frame);
    const auto shadow = shadows_.find(key);
    if (shadow == shadows_.end()) return;
    const std::uint64_t distance = age_ - shadow->second;
    shadows_.erase(shadow);
    if (distance > active_.size()) return;
    activate(frame);
    came_back_ = true;
}

// mark_page_accessed()
void PageCache::touch(FrameId frame) {
    if (!pages_[frame].referenced) {
        pages_[frame].referenced = true;
    } else if (!pages_[frame].active) {
        activate(frame);
        pages_[frame].referenced = false;
    }
}

void PageCache::activate(FrameId frame) {
    inactive_.remove(links_.data(), frame);
    active_.push_front(links_.data(), frame);
    pages_[frame].active = true;
    ++age_;
}

// shrink_active_list()
void PageCache::balance() {
    while (active_.size() > 0 && (came_back_ || inactive_.size() * inactive_ratio_ < active_.size())) {
        const FrameId frame = active_.back();
        active_.remove(links_.data(), frame);
        inactive_.push_front(links_.data(), frame);
        pages_[frame].active = pages_[frame].referenced = false;
        came_back_ = false;
    }
}

FrameId PageCache::victim(RecordKey, bool, Pins) {
    balance();
    return inactive_.back();
}

void PageCache::evict(FrameId frame) {
    shadows_[pages_[frame].key] = age_++;
    forget(frame);
}

void PageCache::forget(FrameId frame) { (pages_[frame].active ? active_ : inactive_).remove(links_.data(), frame); }

}  // namespace clearway::io_cache
