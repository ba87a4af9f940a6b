#include "recorder/tick_rate.hpp"

#include "recorder/clock.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint64_t kShortestBaseline_ns = 300'000;

double rate_between(const Instant& from, const Instant& to) {
    if (to.ticks <= from.ticks || to.monotonic_ns <= from.monotonic_ns) return 1;
    return static_cast<double>(to.ticks - from.ticks) / static_cast<double>(to.monotonic_ns - from.monotonic_ns);
}

// Before the record exists there is no start to measure from: spin over a short baseline of our own.
double measure_rate() {
    const Instant from = now();
    Instant to = now();
    while (to.monotonic_ns - from.monotonic_ns < kShortestBaseline_ns) to = now();
    return rate_between(from, to);
}

}  // namespace

double ticks_per_ns() {
    if (!counter_is_steady) return 1;
    static const double first_estimate = measure_rate();
    const FileHeader* header = process.file.header();
    if (header == nullptr) return first_estimate;
    const Instant newest = header->heartbeat[__atomic_load_n(&header->heartbeat_index, __ATOMIC_ACQUIRE) & 1];
    if (newest.monotonic_ns < header->start.monotonic_ns + 50'000'000) return first_estimate;
    return rate_between(header->start, newest);
}

}  // namespace clearway::recorder
