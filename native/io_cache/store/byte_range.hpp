// Bytes of a record: [from, to). Empty where they are equal.
#pragma once

#include <algorithm>
#include <cstdint>

namespace clearway::io_cache {

struct ByteRange {
    std::uint32_t from = 0, to = 0;

    bool empty() const { return from == to; }
    std::uint32_t bytes() const { return to - from; }
    bool covers(ByteRange other) const { return other.empty() || (from <= other.from && other.to <= to); }

    // Whether both together leave no gap.
    bool touches(ByteRange other) const { return empty() || other.empty() || (from <= other.to && other.from <= to); }

    ByteRange hull(ByteRange other) const {
        if (empty()) return other;
        if (other.empty()) return *this;
        return {std::min(from, other.from), std::max(to, other.to)};
    }

    ByteRange before(std::uint32_t end) const { return from < end ? ByteRange{from, std::min(to, end)} : ByteRange{}; }
};

}  // namespace clearway::io_cache
