// Hash functions. Their values stand in files and decide random streams: they never change.
#pragma once

#include <cstdint>
#include <string_view>

namespace clearway {

// 2^64 over the golden ratio. A product with it spreads neighbouring keys over the upper bits (Knuth, "The Art of
// Computer Programming", volume 3, 6.4).
inline constexpr std::uint64_t kGoldenRatio = 0x9e37'79b9'7f4a'7c15U;

// A fixed scramble of 64 bits: splitmix64 (Steele, Lea, Flood 2014). Readers of a Run apply the same.
constexpr std::uint64_t mix(std::uint64_t x) {
    x += kGoldenRatio;
    x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9U;
    x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11ebU;
    return x ^ (x >> 31);
}

// FNV-1a (Fowler, Noll, Vo) of text; or of more text, from the hash of what stood before.
inline constexpr std::uint64_t kFnvBasis = 0xcbf2'9ce4'8422'2325U, kFnvPrime = 0x100'0000'01b3U;
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = kFnvBasis) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
    return hash;
}

}  // namespace clearway
