#include "recorder/tick_rate.hpp"

#include "recorder/clock.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint64_t kShortestBaseline_ns = 300'000;

constexpr TickRate kOne{1, 1};

TickRate rate_between(const Instant& from, const Instant& to) {
    if (to.ticks <= from.ticks || to.monotonic_ns <= from.monotonic_ns) return kOne;
    return {to.ticks - from.ticks, to.monotonic_ns - from.monotonic_ns};
}

// Before the record exists there is no start to measure from: spin over a short baseline of our own.
TickRate measure_rate() {
    const Instant from = now();
    Instant to = now();
    while (to.monotonic_ns - from.monotonic_ns < kShortestBaseline_ns) to = now();
    return rate_between(from, to);
}

}  // namespace

TickRate tick_rate() {
    if (!counter_is_steady) return kOne;
    static const TickRate first_estimate = measure_rate();
    const FileHeader* header = process.file.header();
    if (header == nullptr) return first_estimate;
    const Instant newest = header->heartbeat[__atomic_load_n(&header->heartbeat_index, __ATOMIC_ACQUIRE) & 1];
    if (newest.monotonic_ns < header->start.monotonic_ns + 50'000'000) return first_estimate;
    return rate_between(header->start, newest);
}

}  // namespace clearway::recorder
