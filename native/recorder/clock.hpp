// The clocks of a recorded process.
//
// x86-64 and aarch64 count at a constant rate, equally on every core, and reading the counter costs a few
// nanoseconds without a system call. The reader of a Run learns the rate from the Instants in the file.
#pragma once

#include <cstdint>
#include <ctime>

#include "run_record/layout.hpp"

namespace clearway {

inline std::uint64_t read_clock_ns(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
}

inline std::uint64_t now_ticks() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return read_clock_ns(CLOCK_MONOTONIC);
#endif
}

inline Instant now() {
    Instant instant{};
    instant.realtime_ns = read_clock_ns(CLOCK_REALTIME);
    instant.monotonic_ns = read_clock_ns(CLOCK_MONOTONIC);
    instant.ticks = now_ticks();
    return instant;
}

}  // namespace clearway
