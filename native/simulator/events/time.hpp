// Simulated time. A byte takes 80 ps at 100 Gbit/s, and 2^63 ps are 106 days.
#pragma once

#include <cstdint>
#include <limits>

namespace clearway::simulator {

using Picoseconds = std::int64_t;

inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();
inline constexpr Picoseconds kNanosecond = 1'000;
inline constexpr Picoseconds kSecond = 1'000'000'000'000;

constexpr Picoseconds from_ns(std::uint64_t ns) { return static_cast<Picoseconds>(ns) * kNanosecond; }
constexpr std::uint64_t to_ns(Picoseconds time) { return static_cast<std::uint64_t>(time / kNanosecond); }

}  // namespace clearway::simulator
