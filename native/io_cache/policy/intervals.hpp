// After how many uses of other records a file comes back to one: what most of its latest intervals stay below.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace clearway::io_cache {

class Intervals {
public:
    // `records`: how many of the file are here; the latest passes over them count.
    void note(std::uint64_t interval, std::uint32_t records) {
        ++counts_[bucket_of(interval)];
        ++total_;
        if (until_update_-- > 0) return;
        if (total_ > kPasses * records + kLeast) forget_half();
        update();
    }

    // 0: too little was used twice yet.
    std::uint64_t typical(std::uint32_t records) const { return total_ * kShare >= records ? typical_ : 0; }

private:
    static constexpr int kSteps = 4;  // buckets from one power of two to the next
    static constexpr std::uint32_t kPasses = 2, kLeast = 16;
    static constexpr std::uint32_t kUpdateEvery = 16;
    static constexpr int kMost = 80;  // percent: records that are read and soon written hide how long a pass takes
    static constexpr std::uint32_t kShare = 16;  // of the records that are here, so many times fewer are enough

    static int bucket_of(std::uint64_t interval) {
        const std::uint64_t scaled = interval * kSteps;  // so that there are always bits below the highest
        const int power = std::bit_width(scaled) - 1;
        const int bucket = (power - 2) * kSteps + static_cast<int>(scaled >> (power - 2) & (kSteps - 1));
        return bucket < kBuckets ? bucket : kBuckets - 1;
    }
    static std::uint64_t end_of(int bucket) {
        return (std::uint64_t{kSteps} + static_cast<unsigned>(bucket % kSteps) + 1) << (bucket / kSteps) >> 2;
    }

    void forget_half() {
        total_ = 0;
        for (std::uint32_t& count : counts_) total_ += count /= 2;
    }

    void update() {
        until_update_ = kUpdateEvery;
        std::uint32_t above = 0;
        int bucket = kBuckets;
        while (bucket > 0 && above * 100 <= total_ * (100 - kMost)) above += counts_[--bucket];
        typical_ = end_of(bucket);
    }

    static constexpr int kBuckets = 40 * kSteps;
    std::array<std::uint32_t, kBuckets> counts_{};
    std::uint32_t total_ = 0;
    std::uint32_t until_update_ = 0;
    std::uint64_t typical_ = 0;
};

}  // namespace clearway::io_cache
