// The calls that are judged, and written down, together: of one operation, with blocks of one size or of a class.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "schedule/problem.hpp"

namespace clearway::collectives {

struct SizeRange {
    schedule::Operation operation;
    std::uint64_t low_bytes, high_bytes;

    bool holds(schedule::Operation of, std::uint64_t bytes) const {
        return operation == of && low_bytes <= bytes && bytes <= high_bytes;
    }
    bool is_just(schedule::Operation of, std::uint64_t bytes) const {
        return operation == of && low_bytes == bytes && high_bytes == bytes;
    }
};

// Each distinct size has a range of its own until `known` ranges are so many; further sizes share one by powers of two.
inline SizeRange range_for(schedule::Operation operation, std::uint64_t bytes, std::size_t known) {
    constexpr std::size_t kMostExactSizes = 64;
    if (known < kMostExactSizes) return {operation, bytes, bytes};
    const std::uint64_t low = std::bit_floor(bytes);
    return {operation, low, low == 0 ? 0 : 2 * low - 1};
}

}  // namespace clearway::collectives
