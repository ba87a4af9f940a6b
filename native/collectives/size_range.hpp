// The calls that are judged, and written down, together: of one operation, with blocks of one size or of a class.
#pragma once

#include <bit>
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

inline SizeRange exact_size(schedule::Operation operation, std::uint64_t bytes) { return {operation, bytes, bytes}; }

inline SizeRange size_class(schedule::Operation operation, std::uint64_t bytes) {
    const std::uint64_t low = std::bit_floor(bytes);
    return {operation, low, low == 0 ? 0 : 2 * low - 1};
}

}  // namespace clearway::collectives
