#include "workload/runner/spin.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace clearway::workload {

namespace {

std::uint64_t thread_cpu_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

void burn(std::uint64_t rounds) {
    volatile double value = 1.0;
    for (std::uint64_t round = 0; round < rounds; ++round) value = value * 1.0000001 + 1e-9;
}

// Rounds that take about 20 µs. The clock is a system call: asking it all the time would be computing in the kernel.
std::uint64_t calibrated_rounds() {
    constexpr std::uint64_t kTrial = 1000, kChunkNs = 20'000;
    std::uint64_t least_ns = ~std::uint64_t{0};
    for (int trial = 0; trial < 20; ++trial) {
        const std::uint64_t begin_ns = thread_cpu_ns();
        burn(kTrial);
        least_ns = std::min(least_ns, thread_cpu_ns() - begin_ns);
    }
    return std::max<std::uint64_t>(1, kTrial * kChunkNs / std::max<std::uint64_t>(least_ns, 1));
}

}  // namespace

void spin(std::uint64_t duration_ns) {
    static const std::uint64_t rounds = calibrated_rounds();
    const std::uint64_t end_ns = thread_cpu_ns() + duration_ns;
    while (thread_cpu_ns() < end_ns) burn(rounds);
}

}  // namespace clearway::workload
