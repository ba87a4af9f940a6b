// The kernel's clocks, in nanoseconds.
#pragma once

#include <cstdint>
#include <ctime>

namespace clearway {

// CLOCK_..._COARSE are a few milliseconds late and nearly free. CLOCK_MONOTONIC is the same in all processes of a host.
inline std::uint64_t clock_ns(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace clearway
