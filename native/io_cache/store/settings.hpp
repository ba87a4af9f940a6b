#pragma once

#include <cstdint>

namespace clearway::io_cache {

struct Settings {
    std::uint64_t budget_bytes = 0;     // of all memory that the cache takes
    std::uint32_t record_bytes = 4096;  // a power of two, 4096 or more
    const char* policy = "next-use";    // docs/io-cache-policies.md

    // Where set, all caches with this name on this host share the budget; where they cannot, this one has so much.
    const char* shared_budget = nullptr;
    std::uint64_t alone_bytes = 0;
};

}  // namespace clearway::io_cache
