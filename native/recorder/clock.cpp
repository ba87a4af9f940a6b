#include "recorder/clock.hpp"

#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>

#include "base/small_file.hpp"
#endif

namespace clearway::recorder {

#if defined(__x86_64__)
bool counter_is_steady = false;
#else
bool counter_is_steady = true;
#endif

namespace {

#if defined(__x86_64__)
bool is_invariant() {
    constexpr unsigned kPowerLeaf = 0x80000007, kInvariantBit = 1U << 8;  // Intel SDM 3, 18.17.1; AMD APM 3, E.4.6
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(kPowerLeaf, &a, &b, &c, &d) != 0 && (d & kInvariantBit) != 0;
}

#endif

}  // namespace

std::uint64_t monotonic_ticks() { return clock_ns(CLOCK_MONOTONIC); }

bool is_steady(bool invariant, const char* clock_sources) {
    if (!invariant) return false;
    const std::size_t length = std::strcspn(clock_sources, "\n");
    if (length == 0) return true;
    constexpr char kName[] = "tsc";
    for (const char* at = clock_sources; (at = std::strstr(at, kName)) != nullptr; ++at) {
        const bool begins = at == clock_sources || at[-1] == ' ';
        if (begins && std::strchr(" \n", at[sizeof kName - 1]) != nullptr) return true;
    }
    return false;
}

void choose_clock() {
#if defined(__x86_64__)
    const char* wanted = std::getenv("CLEARWAY_CLOCK");
    counter_is_steady = wanted != nullptr && std::strcmp(wanted, "counter") == 0;
    if (counter_is_steady || (wanted != nullptr && std::strcmp(wanted, "monotonic") == 0)) return;
    char clock_sources[256];
    read_text("/sys/devices/system/clocksource/clocksource0/available_clocksource", clock_sources,
              sizeof clock_sources);
    counter_is_steady = is_steady(is_invariant(), clock_sources);
#endif
}

}  // namespace clearway::recorder
