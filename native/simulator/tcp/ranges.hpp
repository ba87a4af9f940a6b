// Parts of a stream, in order, apart from each other: what was received beyond a gap.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace clearway::simulator {

struct StreamRange {
    std::uint64_t begin;
    std::uint64_t end;
};

class Ranges {
public:
    bool empty() const { return ranges_ == nullptr || ranges_->empty(); }
    std::size_t size() const { return ranges_ == nullptr ? 0 : ranges_->size(); }
    const StreamRange& operator[](std::size_t i) const { return (*ranges_)[i]; }

    // Joins what touches; returns the whole range that [begin, end) is now part of.
    StreamRange add(std::uint64_t begin, std::uint64_t end);

    void drop_below(std::uint64_t position);

private:
    std::unique_ptr<std::vector<StreamRange>> ranges_;  // most never have one
};

}  // namespace clearway::simulator
