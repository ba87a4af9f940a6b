#include "simulator/tcp/ranges.hpp"

#include <algorithm>

namespace clearway::simulator {

StreamRange Ranges::add(std::uint64_t begin, std::uint64_t end) {
    if (ranges_ == nullptr) ranges_ = std::make_unique<std::vector<StreamRange>>();
    std::vector<StreamRange>& ranges = *ranges_;
    const auto first = std::ranges::find_if(ranges, [begin](const StreamRange& each) { return each.end >= begin; });
    auto last = first;
    StreamRange joined{begin, end};
    for (; last != ranges.end() && last->begin <= end; ++last)
        joined = {std::min(joined.begin, last->begin), std::max(joined.end, last->end)};
    if (first == last) {
        ranges.insert(first, joined);
    } else {
        *first = joined;
        ranges.erase(first + 1, last);
    }
    return joined;
}

void Ranges::drop_below(std::uint64_t position) {
    if (empty()) return;
    std::erase_if(*ranges_, [position](const StreamRange& each) { return each.end <= position; });
    if (!empty()) ranges_->front().begin = std::max(ranges_->front().begin, position);
}

}  // namespace clearway::simulator
