#include "schedule/check/values.hpp"

#include <algorithm>
#include <utility>

namespace clearway::schedule {

namespace {

std::uint32_t slots_told_apart(const Problem& problem) {
    return is_on_vector(problem.operation) ? problem.blocks : ranks_of(problem);
}

}  // namespace

Values::Values(const Problem& problem)
    : slots_(slots_told_apart(problem)),
      first_(slots_ * schedule::ranks_of(problem)),
      is_allgather_(is_allgather(problem.operation)) {}

std::uint32_t Values::own(std::uint32_t origin, std::uint32_t slot) const {
    return origin * slots_ + (is_allgather_ ? 0 : slot);
}

std::uint32_t Values::block_of(std::uint32_t value) const {
    return value < first_ ? value % slots_ : combined_[value - first_].block;
}

std::vector<Values::Ranks> Values::ranks_of(std::uint32_t value) const {
    if (value >= first_) return combined_[value - first_].ranks;
    return {{value / slots_, value / slots_ + 1}};
}

Values::Combination Values::combine(std::uint32_t a, std::uint32_t b) {
    std::vector<Ranks> all = ranks_of(a);
    const std::vector<Ranks> others = ranks_of(b);
    all.insert(all.end(), others.begin(), others.end());
    std::ranges::sort(all, {}, &Ranks::begin);
    Combination combination{first_ + static_cast<std::uint32_t>(combined_.size()), kNothing};
    Combined joined{block_of(a), {}};
    for (const Ranks& ranks : all) {
        if (joined.ranks.empty() || joined.ranks.back().end < ranks.begin) {
            joined.ranks.push_back(ranks);
            continue;
        }
        Ranks& last = joined.ranks.back();
        if (ranks.begin < last.end) combination.twice = ranks.begin;
        last.end = std::max(last.end, ranks.end);
    }
    combined_.push_back(std::move(joined));
    return combination;
}

}  // namespace clearway::schedule
