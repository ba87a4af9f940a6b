// A size in memory as people write it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace clearway::io_cache {

inline constexpr std::uint64_t kBudgetAuto = 0;
inline constexpr std::uint64_t kLeastBudget_bytes = 1 << 20;

// Without this behind it a size is of the memory of each host, which its ranks share.
inline constexpr std::string_view kOfEachRank = "/rank";
inline bool is_of_each_rank(std::string_view text) { return text.ends_with(kOfEachRank); }

// "256M", "2G", "64M/rank", bytes without a letter; "auto" is kBudgetAuto. False: none of these.
inline bool parse_budget(const char* text, std::uint64_t& bytes) {
    if (std::strcmp(text, "auto") == 0) {
        bytes = kBudgetAuto;
        return true;
    }
    if (*text < '0' || *text > '9') return false;
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(text, &end, 10);
    std::string_view rest = end;
    if (is_of_each_rank(rest)) rest.remove_suffix(kOfEachRank.size());
    static constexpr std::string_view kUnits = "KMGT";
    const std::size_t unit = rest.empty() ? 0 : kUnits.find(static_cast<char>(rest[0] & ~0x20));  // of both cases
    if (rest.size() > 1 || unit == std::string_view::npos) return false;
    const int shift = rest.empty() ? 0 : 10 * (static_cast<int>(unit) + 1);
    if (number > (UINT64_MAX >> 1) >> shift) return false;
    bytes = number << shift;
    return bytes >= kLeastBudget_bytes;
}

}  // namespace clearway::io_cache
