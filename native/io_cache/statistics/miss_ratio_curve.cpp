#include "io_cache/statistics/miss_ratio_curve.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "io_cache/policy/policy.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint64_t kSmallestBytes = 1 << 20;  // each next size is twice as large
constexpr std::uint32_t kLeastFrames = 4;          // a simulation of fewer says nothing

}  // namespace

bool MissRatioCurve::allocate(std::string_view policy, std::uint32_t record_bytes) {
    record_bytes_ = record_bytes;
    for (Simulation& simulation : simulations_) {
        simulation.policy = make_policy(policy, kSlots);
        if (simulation.policy == nullptr) return false;
    }
    return true;
}

bool MissRatioCurve::sampled(RecordKey key) const { return (mix(key) & (weight() - 1)) == 0; }

std::uint32_t MissRatioCurve::capacity(int size) const {
    const std::uint64_t frames = (kSmallestBytes << size) / record_bytes_ >> halvings_;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(frames, kLeastFrames, kSlots));
}

MissRatioCurve::Slot& MissRatioCurve::bucket_of(RecordKey key) { return buckets_[mix(key) >> 32 & (kBuckets - 1)]; }

MissRatioCurve::Slot MissRatioCurve::find(RecordKey key) {
    Slot slot = bucket_of(key);
    while (slot != kNoFrame && keys_[slot] != key) slot = next_in_bucket_[slot];
    return slot;
}

MissRatioCurve::Slot MissRatioCurve::add(RecordKey key) {
    while (taken_count_ == kSlots) halve();
    if (!sampled(key)) return kNoFrame;  // it was, until then
    const auto slot = static_cast<Slot>(std::find(taken_.begin() + 1, taken_.end(), false) - taken_.begin());
    Slot& bucket = bucket_of(key);
    keys_[slot] = key;
    taken_[slot] = true;
    next_in_bucket_[slot] = bucket;
    bucket = slot;
    ++taken_count_;
    most_records_ = std::max(most_records_, taken_count_ * weight());
    return slot;
}

void MissRatioCurve::drop_from(Simulation& simulation, Slot slot) {
    simulation.present[slot] = simulation.dirty[slot] = false;
    --simulation.count;
}

void MissRatioCurve::remove(Slot slot) {
    for (Simulation& simulation : simulations_) {
        if (!simulation.present[slot]) continue;
        simulation.policy->forget(slot);
        drop_from(simulation, slot);
    }
    Slot* link = &bucket_of(keys_[slot]);
    while (*link != slot) link = &next_in_bucket_[*link];
    *link = next_in_bucket_[slot];
    taken_[slot] = false;
    --taken_count_;
}

void MissRatioCurve::halve() {
    ++halvings_;
    for (Slot slot = 1; slot <= kSlots; ++slot)
        if (taken_[slot] && !sampled(keys_[slot])) remove(slot);
}

void MissRatioCurve::use(RecordKey key, bool part, bool writes) {
    ++uses_;
    if (!sampled(key)) return;
    Slot slot = find(key);
    if (slot == kNoFrame) slot = add(key);
    if (slot == kNoFrame) return;
    sampled_uses_ += weight();
    for (int size = 0; size < kSizes; ++size) use_in(simulations_[size], capacity(size), slot, part, writes);
}

void MissRatioCurve::use_in(Simulation& simulation, std::uint32_t capacity, Slot slot, bool part, bool writes) {
    Policy& policy = *simulation.policy;
    if (simulation.present[slot]) {
        policy.touch(slot);
        simulation.dirty[slot] |= writes;
        return;
    }
    // More than one may have to go: a halved sample does not lose exactly half of what is present.
    while (simulation.count >= capacity) {
        const FrameId victim = policy.victim(keys_[slot], part || simulation.count > capacity, pins_.data());
        if (victim == kNoFrame) break;
        if (simulation.dirty[victim]) simulation.stored += weight();
        policy.evict(victim);
        drop_from(simulation, victim);
    }
    const bool kept = simulation.count < capacity;
    if (!writes) simulation.fetched += weight();
    if (writes && !kept) simulation.stored += weight();
    if (!kept) return;
    policy.insert(slot, keys_[slot]);
    simulation.present[slot] = true;
    simulation.dirty[slot] = writes;
    ++simulation.count;
}

void MissRatioCurve::flush(std::uint32_t file) {
    for (Slot slot = 1; slot <= kSlots; ++slot) {
        if (!taken_[slot] || file_of(keys_[slot]) != file) continue;
        for (Simulation& simulation : simulations_) {
            if (simulation.dirty[slot]) simulation.stored += weight();
            simulation.dirty[slot] = false;
        }
    }
}

void MissRatioCurve::cut(RecordKey first) {
    for (Slot slot = 1; slot <= kSlots; ++slot)
        if (taken_[slot] && file_of(keys_[slot]) == file_of(first) && keys_[slot] >= first) remove(slot);
}

void MissRatioCurve::drop(std::uint32_t file) {
    cut(record_key(file, 0));
    for (Simulation& simulation : simulations_) simulation.policy->note_drop(file);
}

MissRatioCurve::Points MissRatioCurve::points() const {
    // The sample may have a little more or less than its share of the uses.
    const double share = sampled_uses_ == 0 ? 0 : static_cast<double>(uses_) / static_cast<double>(sampled_uses_);
    const auto all = [&](std::uint64_t records) {
        return static_cast<std::uint64_t>(static_cast<double>(records) * share);
    };
    const std::uint64_t enough_bytes = most_records_ * record_bytes_;
    Points points;
    if (uses_ == 0) return points;
    for (int size = 0; size < kSizes && (kSmallestBytes << size) < enough_bytes; ++size) {
        if ((kSmallestBytes << size) / record_bytes_ >> halvings_ < kLeastFrames) continue;
        const Simulation& simulation = simulations_[size];
        points.at[points.count++] = {kSmallestBytes << size, all(simulation.fetched), all(simulation.stored)};
    }
    const Simulation& largest = simulations_[kSizes - 1];
    points.at[points.count++] = {enough_bytes, all(largest.fetched), all(largest.stored)};
    return points;
}

}  // namespace clearway::io_cache
