// Tells files that are read and written from front to back, in any number of passes, from the others.
#pragma once

#include <algorithm>
#include <cstdint>

namespace clearway::io_cache {

class SerialDetector {
public:
    // Whether the request goes on where the last one ended.
    bool note(std::uint64_t offset, std::uint64_t bytes) {
        const bool follows = offset == end_ || offset == 0;
        end_ = offset + bytes;
        score_ = std::clamp(score_ + (follows ? 1 : -kJumpWeight), -kMemory, kMemory);
        return follows;
    }

    bool serial() const { return score_ >= 0; }  // until it is known better

private:
    // A scan has fewer than one jump in so many requests; what has been otherwise changes its mind slowly.
    static constexpr int kJumpWeight = 4, kMemory = 64;

    std::uint64_t end_ = 0;
    int score_ = 0;
};

}  // namespace clearway::io_cache
