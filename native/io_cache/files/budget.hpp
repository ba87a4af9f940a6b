// A size in memory as people write it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

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
    static constexpr char kUnits[] = "KMGT";
    const char* unit = *end != '\0' ? std::strchr(kUnits, *end & ~0x20) : nullptr;  // of both cases
    if (*end != '\0' && (unit == nullptr || end[1] != '\0')) return false;
    const int shift = unit != nullptr ? 10 * (static_cast<int>(unit - kUnits) + 1) : 0;
    if (number > (UINT64_MAX >> 1) >> shift) return false;
    bytes = number << shift;
    return bytes >= kLeastBudget_bytes;
}

}  // namespace clearway::io_cache
