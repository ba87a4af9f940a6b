// LIRS (Jiang and Zhang 2002): records that came back soon, by the number of other records used in between, keep
// nearly all of the frames; what is new passes through the few that are left, and must come back soon to stay.
#pragma once

#include <cstdint>

#include "base/hash.hpp"
#include "io_cache/mapped_array.hpp"
#include "io_cache/policy/frame_list.hpp"
#include "io_cache/policy/policy.hpp"

namespace clearway::io_cache {

class Lirs final : public Policy {
public:
    bool allocate(std::uint32_t frames);

    void insert(FrameId frame, RecordKey key) override;
    void touch(FrameId frame) override;
    FrameId victim(RecordKey incoming, bool must, Pins pins) override;
    void evict(FrameId frame) override;
    void forget(FrameId frame) override;

private:
    // An entry is a record that is here, or was: the first entries are the frames, the others remember records that
    // have left.
    using Entry = FrameId;
    struct Known {
        RecordKey key;
        Entry next_in_bucket;
        bool low;      // its last interval was short: it stays
        bool stacked;  // in the stack
    };

    Entry& bucket_of(RecordKey key) { return buckets_[(key * kGoldenRatio) >> bucket_shift_]; }
    Entry find_gone(RecordKey key);
    void forget_gone(Entry entry);
    void remember_gone(FrameId frame);
    void stack(Entry entry);
    void unstack(Entry entry);
    void prune();
    void make_low(FrameId frame);
    void demote_one();

    MappedArray<Known> known_;
    MappedArray<FrameLinks> stack_links_;    // of all entries
    MappedArray<FrameLinks> passing_links_;  // of frames; of others: gone or free
    MappedArray<Entry> buckets_;             // finds records that have left
    FrameList stack_;                        // latest used first
    FrameList passing_;  // frames whose records are new or came back late, in the order in which they go
    FrameList gone_;     // oldest at the back
    FrameList free_;     // entries for what leaves
    std::uint32_t frames_ = 0, low_ = 0, most_low_ = 0;
    int bucket_shift_ = 0;
};

}  // namespace clearway::io_cache
