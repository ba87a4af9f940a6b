// What of a record lay in the file before the program's first byte that the file does not have yet. Where others could
// write to the file behind our back, it tells whether they did, and so whose bytes are the later ones (pool_merge.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/hash.hpp"

namespace clearway::io_cache {

using BaseContent = std::uint64_t;
inline constexpr BaseContent kUnknownBase = 0, kZeroBase = 1;  // others: a hash

namespace base_content {

__extension__ using Wide = unsigned __int128;

// A word that is zero adds nothing, so that bytes beyond the end of the file need not be there. The upper half of the
// product makes each bit count, whichever other words change.
inline std::uint64_t of_word(std::uint64_t word, std::uint64_t number) {
    const Wide product = Wide{word} * (kGoldenRatio * (2 * number + 1));
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace base_content

// Sum of these over the pieces of a record; `at` is the place of one in it, a multiple of 8.
inline std::uint64_t sum_of_content(const std::byte* bytes, std::size_t count, std::size_t at = 0) {
    std::uint64_t sum = 0, number = at / sizeof(std::uint64_t), word = 0;
    for (; count >= sizeof word; bytes += sizeof word, count -= sizeof word) {
        std::memcpy(&word, bytes, sizeof word);
        sum += base_content::of_word(word, number++);
    }
    word = 0;
    std::memcpy(&word, bytes, count);
    return sum + base_content::of_word(word, number);
}

inline BaseContent base_of_sum(std::uint64_t sum) { return sum <= kZeroBase ? kZeroBase + sum : sum; }

}  // namespace clearway::io_cache
