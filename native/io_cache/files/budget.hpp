// A size in memory as people write it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace clearway::io_cache {

inline constexpr std::uint64_t kBudgetAuto = 0;
inline constexpr std::uint64_t kLeastBudget_bytes = 1 << 20;

// "256M", "2G", bytes without a letter; "auto" is kBudgetAuto. False: none of these.
inline bool parse_budget(const char* text, std::uint64_t& bytes) {
    if (std::strcmp(text, "auto") == 0) {
        bytes = kBudgetAuto;
        return true;
    }
    if (*text < '0' || *text > '9') return false;
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(text, &end, 10);
    static constexpr std::string_view kUnits = "KMGT";
    const bool has_unit = *end != '\0';
    const std::size_t unit = has_unit ? kUnits.find(static_cast<char>(*end & ~0x20)) : 0;  // of both cases
    if (has_unit && (unit == std::string_view::npos || end[1] != '\0')) return false;
    const int shift = has_unit ? 10 * (static_cast<int>(unit) + 1) : 0;
    if (number > (UINT64_MAX >> 1) >> shift) return false;
    bytes = number << shift;
    return bytes >= kLeastBudget_bytes;
}

}  // namespace clearway::io_cache
