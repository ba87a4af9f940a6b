#include "simulator/tcp/ranges.hpp"

#include <algorithm>

namespace clearway::simulator {

StreamRange Ranges::add(std::uint64_t begin, std::uint64_t end) {
    const auto first = std::ranges::find_if(ranges_, [begin](const StreamRange& each) { return each.end >= begin; });
    auto last = first;
    StreamRange joined{begin, end};
    for (; last != ranges_.end() && last->begin <= end; ++last)
        joined = {std::min(joined.begin, last->begin), std::max(joined.end, last->end)};
    if (first == last) {
        ranges_.insert(first, joined);
    } else {
        *first = joined;
        ranges_.erase(first + 1, last);
    }
    return joined;
}

void Ranges::drop_below(std::uint64_t position) {
    std::erase_if(ranges_, [position](const StreamRange& each) { return each.end <= position; });
    if (!ranges_.empty()) ranges_[0].begin = std::max(ranges_[0].begin, position);
}

}  // namespace clearway::simulator
