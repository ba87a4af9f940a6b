// Which windows of realtime a thinned record keeps its events of. All processes choose the same ones, without talking.
#pragma once

#include <cstdint>

#include "base/hash.hpp"
#include "run_record/layout.hpp"

namespace clearway {

inline constexpr std::uint32_t kMostEventLevel = 24;
inline constexpr std::uint32_t kEventSlices = 16;  // of a window, by which a record is thinned that is over

// One in 2^level.
inline bool selects_window(std::uint64_t window, std::uint32_t level) {
    return (mix(window) & ((1ULL << level) - 1)) == 0;
}

// So long that it is kept whatever its window.
inline bool is_long_event(std::uint64_t duration_ns, std::uint32_t level) {
    return duration_ns > kLongEvent_ns << level;
}

}  // namespace clearway
