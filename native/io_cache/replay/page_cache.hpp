// Linux's page cache, as a policy: mm/workingset.c and mm/vmscan.c of Linux 6 for pages of files that are read and
// written, not mapped. A page begins on the inactive list and is activated when it is used twice, or when it comes
// back so soon that it would have stayed had the active list been shorter.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "io_cache/policy/frame_list.hpp"
#include "io_cache/policy/policy.hpp"

namespace clearway::io_cache {

class PageCache final : public Policy {
public:
    PageCache(std::uint32_t frames, std::uint32_t page_bytes);

    void insert(FrameId frame, RecordKey key) override;
    void touch(FrameId frame) override;
    FrameId victim(RecordKey incoming, bool must, Pins pins) override;
    void evict(FrameId frame) override;
    void forget(FrameId frame) override;

private:
    struct Page {
        RecordKey key;
        bool active, referenced;
    };

    void activate(FrameId frame);
    void balance();

    std::vector<FrameLinks> links_;
    std::vector<Page> pages_;
    FrameList active_, inactive_;  // latest first
    std::uint32_t inactive_ratio_;
    std::unordered_map<RecordKey, std::uint64_t> shadows_;  // when a page was evicted
    std::uint64_t age_ = 0;                                 // counts evictions and activations
    bool came_back_ = false;                                // a page was activated for that since the last eviction
};

}  // namespace clearway::io_cache
