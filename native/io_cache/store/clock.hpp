#pragma once

#include <cstdint>
#include <ctime>

namespace clearway::io_cache {

// CLOCK_MONOTONIC, a few milliseconds late and nearly free; the same in all processes of a host.
inline std::uint64_t coarse_now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace clearway::io_cache
