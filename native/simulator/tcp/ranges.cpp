#include "simulator/tcp/ranges.hpp"

#include <algorithm>

namespace clearway::simulator {

StreamRange Ranges::add(std::uint64_t begin, std::uint64_t end) {
    const auto first = std::ranges::find_if(ranges_, [begin](const StreamRange& each) { return each.end >= begin; });
    auto last = first;
    StreamRange joined{begin, end};
    for (; last != ranges_.end() && last->begin <= end; ++last) {
        joined = {std::min(joined.begin, last->begin), std::max(joined.end, last->end)};
        bytes_ -= last->end - last->begin;
    }
    bytes_ += joined.end - joined.begin;
    if (first == last) {
        ranges_.insert(first, joined);
    } else {
        *first = joined;
        ranges_.erase(first + 1, last);
    }
    return joined;
}

std::uint64_t Ranges::drop_below(std::uint64_t position) {
    std::uint64_t dropped = 0;
    auto each = ranges_.begin();
    for (; each != ranges_.end() && each->end <= position; ++each) dropped += each->end - each->begin;
    if (each != ranges_.end() && each->begin < position) {
        dropped += position - each->begin;
        each->begin = position;
    }
    ranges_.erase(ranges_.begin(), each);
    bytes_ -= dropped;
    return dropped;
}

void Ranges::clear() {
    ranges_.clear();
    bytes_ = 0;
}

std::uint64_t Ranges::missing(std::uint64_t begin, std::uint64_t end) const {
    if (begin >= end) return 0;
    std::uint64_t missing = end - begin;
    for (const StreamRange& each : ranges_)
        if (each.begin < end && each.end > begin) missing -= std::min(end, each.end) - std::max(begin, each.begin);
    return missing;
}

StreamRange Ranges::first_gap(std::uint64_t begin, std::uint64_t end) const {
    for (const StreamRange& each : ranges_) {
        if (each.end <= begin) continue;
        if (each.begin > begin) return {begin, std::max(begin, std::min(end, each.begin))};
        begin = each.end;
    }
    return {begin, std::max(begin, end)};
}

std::uint64_t Ranges::begin_of_last(std::uint64_t bytes) const {
    std::uint64_t sum = 0;
    for (auto each = ranges_.rbegin(); each != ranges_.rend(); ++each) {
        sum += each->end - each->begin;
        if (sum > bytes) return each->begin;
    }
    return 0;
}

}  // namespace clearway::simulator
