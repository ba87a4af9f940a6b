// Parts of a stream, in order, apart from each other: what was received beyond a gap, or what the peer says it was.
#pragma once

#include <cstdint>
#include <vector>

namespace clearway::simulator {

struct StreamRange {
    std::uint64_t begin;
    std::uint64_t end;
};

class Ranges {
public:
    bool empty() const { return ranges_.empty(); }
    std::uint64_t bytes() const { return bytes_; }
    std::size_t size() const { return ranges_.size(); }
    const StreamRange& operator[](std::size_t i) const { return ranges_[i]; }

    // Joins what touches; returns the whole range that [begin, end) is now part of.
    StreamRange add(std::uint64_t begin, std::uint64_t end);

    // Returns how many bytes there were below.
    std::uint64_t drop_below(std::uint64_t position);

    void clear();

    // Bytes of [begin, end) that are not here.
    std::uint64_t missing(std::uint64_t begin, std::uint64_t end) const;

    // The first part of [begin, end) that is not here; empty where all is.
    StreamRange first_gap(std::uint64_t begin, std::uint64_t end) const;

    // The begin of the range with which, from the top, more than `bytes` are here; 0 where there are not so many.
    std::uint64_t begin_of_last(std::uint64_t bytes) const;

private:
    std::vector<StreamRange> ranges_;
    std::uint64_t bytes_ = 0;
};

}  // namespace clearway::simulator
