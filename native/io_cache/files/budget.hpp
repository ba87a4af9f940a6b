// The memory of the I/O cache, as people write it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "units/units.hpp"

namespace clearway::io_cache {

inline constexpr std::uint64_t kBudgetAuto = 0;
inline constexpr std::uint64_t kLeastBudget_bytes = 1'000'000;

// Without this behind it a size is of the memory of each host, which its ranks share.
inline constexpr std::string_view kOfEachRank = "/rank";
inline bool is_of_each_rank(std::string_view text) { return text.ends_with(kOfEachRank); }

inline std::string_view size_in(std::string_view text) {
    if (is_of_each_rank(text)) text.remove_suffix(kOfEachRank.size());
    return text;
}

// "256M", "2Gi", "64M/rank", bytes without a letter; "auto" is kBudgetAuto. False: none of these.
inline bool parse_budget(std::string_view text, std::uint64_t& bytes) {
    bytes = kBudgetAuto;
    if (text == "auto") return true;
    bytes = units::parse_bytes(size_in(text)).value_or(0);
    return bytes >= kLeastBudget_bytes;
}

}  // namespace clearway::io_cache
