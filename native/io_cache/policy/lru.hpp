// What was not used for longest goes. Right for programs that come back to what they have just used; a scan of more
// than the cache holds, done again and again, never hits.
#pragma once

#include "io_cache/mapped_array.hpp"
#include "io_cache/policy/frame_list.hpp"
#include "io_cache/policy/policy.hpp"

namespace clearway::io_cache {

class Lru final : public Policy {
public:
    bool allocate(std::uint32_t frames) { return links_.allocate(frames + 1); }

    void insert(FrameId frame, RecordKey) override { used_.push_front(links_.data(), frame); }
    void touch(FrameId frame) override {
        used_.remove(links_.data(), frame);
        used_.push_front(links_.data(), frame);
    }
    FrameId victim(RecordKey, bool, Pins pins) override {
        FrameId frame = used_.back();
        while (frame != kNoFrame && pins[frame] != 0) frame = links_[frame].previous;
        return frame;
    }
    void evict(FrameId frame) override { used_.remove(links_.data(), frame); }
    void forget(FrameId frame) override { evict(frame); }

private:
    MappedArray<FrameLinks> links_;
    FrameList used_;  // latest first
};

}  // namespace clearway::io_cache
