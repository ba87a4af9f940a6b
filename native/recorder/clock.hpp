// The clocks of a recorded process.
//
// aarch64 and almost every x86-64 count at a constant rate, equally on every core, and reading the counter costs a few
// nanoseconds without a system call. The reader of a Run learns the rate from the Instants in the file. Where the
// counter is not known to be steady, ticks are nanoseconds of CLOCK_MONOTONIC.
#pragma once

#include <cstdint>
#include <ctime>

#include "base/clock.hpp"
#include "run_record/layout.hpp"

namespace clearway::recorder {

// Whether ticks are the processor's own counter. Set once, before anything is recorded.
extern bool counter_is_steady [[gnu::visibility("hidden")]];
void choose_clock();

// What the processor says of its counter (CPUID: it is invariant), and what the kernel found when it watched it: the
// names in available_clocksource, "" where they cannot be read. A kernel that saw it drift no longer offers it.
bool is_steady(bool invariant, const char* clock_sources);

std::uint64_t monotonic_ticks();  // apart, for it would stand in each wrapper twice

inline std::uint64_t now_ticks() {
#if defined(__x86_64__)
    if (counter_is_steady) [[likely]]
        return __builtin_ia32_rdtsc();
    return monotonic_ticks();
#elif defined(__aarch64__)
    std::uint64_t ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return clock_ns(CLOCK_MONOTONIC);
#endif
}

// From one reading of a clock to a later one. A clock that stepped back (a moved virtual machine, a core whose counter
// is behind) makes an empty stretch, not one of centuries.
inline std::uint64_t elapsed(std::uint64_t from, std::uint64_t to) { return to > from ? to - from : 0; }

// Now, in ticks, and not before `entry`.
inline std::uint64_t exit_ticks(std::uint64_t entry) {
    const std::uint64_t now = now_ticks();
    return now > entry ? now : entry;
}

inline Instant now() {
    Instant instant{};
    instant.realtime_ns = clock_ns(CLOCK_REALTIME);
    instant.monotonic_ns = clock_ns(CLOCK_MONOTONIC);
    instant.ticks = now_ticks();
    return instant;
}

}  // namespace clearway::recorder
