#include "io_cache/policy/lirs.hpp"

#include <algorithm>
#include <bit>

namespace clearway::io_cache {

namespace {

constexpr std::uint32_t kGoneForFrame = 2;  // records remembered that have left, for each frame

}  // namespace

bool Lirs::allocate(std::uint32_t frames) {
    frames_ = frames;
    most_low_ = frames - std::max<std::uint32_t>(1, frames / 100);
    const std::uint32_t entries = frames * (1 + kGoneForFrame) + 1;
    const int bits = std::bit_width(frames * kGoneForFrame);
    bucket_shift_ = 64 - bits;
    if (!known_.allocate(entries) || !stack_links_.allocate(entries) || !passing_links_.allocate(entries) ||
        !buckets_.allocate(std::size_t{1} << bits))
        return false;
    for (Entry entry = frames + 1; entry < entries; ++entry) free_.push_back(passing_links_.data(), entry);
    return true;
}

void Lirs::stack(Entry entry) {
    stack_.push_front(stack_links_.data(), entry);
    known_[entry].stacked = true;
}

void Lirs::unstack(Entry entry) {
    stack_.remove(stack_links_.data(), entry);
    known_[entry].stacked = false;
}

// The stack ends with a record that stays: what lies below it can no longer show a short interval.
void Lirs::prune() {
    while (stack_.back() != kNoFrame && !known_[stack_.back()].low) {
        const Entry last = stack_.back();
        if (last > frames_)
            forget_gone(last);
        else
            unstack(last);
    }
}

Lirs::Entry Lirs::find_gone(RecordKey key) {
    Entry entry = bucket_of(key);
    while (entry != kNoFrame && known_[entry].key != key) entry = known_[entry].next_in_bucket;
    return entry;
}

void Lirs::forget_gone(Entry entry) {
    Entry* link = &bucket_of(known_[entry].key);
    while (*link != entry) link = &known_[*link].next_in_bucket;
    *link = known_[entry].next_in_bucket;
    unstack(entry);
    gone_.remove(passing_links_.data(), entry);
    free_.push_back(passing_links_.data(), entry);
}

// In the frame's place in the stack.
void Lirs::remember_gone(FrameId frame) {
    if (free_.size() == 0) forget_gone(gone_.back());
    const Entry entry = free_.front();
    free_.remove(passing_links_.data(), entry);
    gone_.push_front(passing_links_.data(), entry);
    Entry& bucket = bucket_of(known_[frame].key);
    known_[entry] = {known_[frame].key, bucket, false, true};
    bucket = entry;
    stack_.replace(stack_links_.data(), frame, entry);
    known_[frame].stacked = false;
}

void Lirs::make_low(FrameId frame) {
    known_[frame].low = true;
    ++low_;
    if (low_ > most_low_) demote_one();
    prune();
}

// The one that stays although it was not used for longest: it may pass now.
void Lirs::demote_one() {
    prune();
    const Entry last = stack_.back();
    known_[last].low = false;
    --low_;
    unstack(last);
    passing_.push_back(passing_links_.data(), last);
    prune();
}

void Lirs::insert(FrameId frame, RecordKey key) {
    const Entry before = find_gone(key);
    if (before != kNoFrame) forget_gone(before);
    known_[frame] = {key, kNoFrame, false, false};
    stack(frame);
    if (before != kNoFrame || low_ < most_low_)
        make_low(frame);
    else
        passing_.push_back(passing_links_.data(), frame);
}

void Lirs::touch(FrameId frame) {
    const bool was_stacked = known_[frame].stacked;
    if (was_stacked) unstack(frame);
    stack(frame);
    if (known_[frame].low) return prune();
    passing_.remove(passing_links_.data(), frame);
    if (was_stacked)
        make_low(frame);
    else
        passing_.push_back(passing_links_.data(), frame);
}

FrameId Lirs::victim(RecordKey, bool, Pins pins) {
    FrameId frame = passing_.front();
    while (frame != kNoFrame && pins[frame] != 0) frame = passing_links_[frame].next;
    if (frame != kNoFrame) return frame;
    // All that pass are in use at this moment.
    Entry entry = stack_.back();
    while (entry != kNoFrame && (entry > frames_ || pins[entry] != 0)) entry = stack_links_[entry].previous;
    return entry;
}

void Lirs::evict(FrameId frame) {
    if (known_[frame].low || !known_[frame].stacked) return forget(frame);
    passing_.remove(passing_links_.data(), frame);
    remember_gone(frame);
}

void Lirs::forget(FrameId frame) {
    if (known_[frame].low) {
        known_[frame].low = false;
        --low_;
    } else {
        passing_.remove(passing_links_.data(), frame);
    }
    if (known_[frame].stacked) unstack(frame);
    prune();
}

}  // namespace clearway::io_cache
