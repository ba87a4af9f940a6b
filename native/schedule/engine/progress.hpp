// How many chunks of each open message have been posted, and how many of those are under way. There may be thousands of
// messages open on each of thousands of simulated ranks, most of them one chunk: a byte each, until one has more chunks
// than that counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/engine/credits.hpp"

namespace clearway::schedule {

class Progress {
public:
    void resize(std::size_t messages) { few_.resize(messages); }
    // No more memory is wanted, however many chunks there are.
    void reserve() { beyond_.resize(few_.size()); }

    void begin(std::uint32_t message) {
        few_[message] = 0;
        if (!beyond_.empty()) beyond_[message] = 0;
    }
    void post(std::uint32_t message) {
        if ((few_[message] & kMostFew) == kMostFew) return set(message, posted(message) + 1, under_way(message) + 1);
        few_[message] += kUnderWay + 1;
    }
    void end(std::uint32_t message) { few_[message] -= kUnderWay; }
    // The one that was `posted` last ends the message.
    void cut(std::uint32_t message, std::uint32_t posted) { set(message, posted, posted - ended(message)); }

    std::uint32_t posted(std::uint32_t message) const {
        return (few_[message] & kMostFew) | (beyond_.empty() ? 0 : beyond_[message] << kFewBits);
    }
    std::uint32_t under_way(std::uint32_t message) const { return few_[message] / kUnderWay; }
    std::uint32_t ended(std::uint32_t message) const { return posted(message) - under_way(message); }

private:
    static constexpr std::uint32_t kFewBits = 3;
    static constexpr std::uint8_t kMostFew = 7, kUnderWay = 8;
    static_assert(kChunksUnderWay * kUnderWay < 256);

    void set(std::uint32_t message, std::uint32_t posted, std::uint32_t under_way) {
        few_[message] = static_cast<std::uint8_t>(under_way * kUnderWay + (posted & kMostFew));
        if (beyond_.empty()) {
            if (posted <= kMostFew) return;
            reserve();
        }
        beyond_[message] = posted >> kFewBits;
    }

    std::vector<std::uint8_t> few_;      // under way, and the low bits of how many were posted
    std::vector<std::uint32_t> beyond_;  // the high bits; empty where there are none
};

}  // namespace clearway::schedule
