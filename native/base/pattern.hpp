// Bytes that depend on a seed and on their place, so that a block is noticed that arrives at a wrong place, from a
// wrong rank, late or in part. One multiplication a word: filling and checking must stay cheap beside the message
// itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/hash.hpp"

namespace clearway {

inline constexpr std::uint64_t kPatternWordBytes = 8;
constexpr std::uint64_t pattern_word(std::uint64_t seed, std::uint64_t place) { return (seed + place) * kGoldenRatio; }

inline void fill_pattern(std::uint64_t seed, std::byte* block, std::uint64_t bytes) {
    for (std::uint64_t place = 0; place < bytes; place += kPatternWordBytes) {
        const std::uint64_t word = pattern_word(seed, place);
        std::memcpy(block + place, &word, std::min(kPatternWordBytes, bytes - place));
    }
}

// The place of the first word that is not right; `bytes` where all of them are.
inline std::uint64_t first_wrong(std::uint64_t seed, const std::byte* block, std::uint64_t bytes) {
    for (std::uint64_t place = 0; place < bytes; place += kPatternWordBytes) {
        const std::uint64_t word = pattern_word(seed, place);
        if (std::memcmp(block + place, &word, std::min(kPatternWordBytes, bytes - place)) != 0) return place;
    }
    return bytes;
}

}  // namespace clearway
