// splitmix64's finaliser (Steele, Lea, Flood 2014): a fixed scramble of 64 bits. Readers of a Run apply the same.
#pragma once

#include <cstdint>

namespace clearway {

inline std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

}  // namespace clearway
