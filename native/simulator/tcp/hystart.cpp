#include "simulator/tcp/hystart.hpp"

#include <algorithm>
#include <limits>

namespace clearway::simulator {

namespace {

constexpr std::uint8_t kSamples = 8;
constexpr std::uint32_t kLeastRise_ns = 4'000'000, kMostRise_ns = 16'000'000;
constexpr Picoseconds kTrainGap = from_ns(2'000'000);  // further apart they are no train
// hystart_ack_delay(): what a card may hold back, at most. Rates at which it is less are beyond 2 Gbit/s.
constexpr std::uint32_t kCardDelay_ns = 1'000'000;

}  // namespace

bool HyStart::ends(Picoseconds now, std::uint64_t una, std::uint64_t nxt, float window, std::uint32_t round_trip_ns) {
    least_ns = least_ns == 0 ? round_trip_ns : std::min(least_ns, round_trip_ns);
    if (has_ended) return false;
    if (una > round_end) {
        round_end = nxt;
        round_began_at = last_ack_at = now;
        round_least_ns = std::numeric_limits<std::uint32_t>::max();
        samples = 0;
    }
    if (window < kLeastHyStartWindow) return false;
    if (now - last_ack_at <= kTrainGap) {
        last_ack_at = now;
        // Half of it, for Linux without the fq scheduler does not pace.
        if (now - round_began_at > from_ns((least_ns + kCardDelay_ns) / 2)) return has_ended = true;
    }
    round_least_ns = std::min(round_least_ns, round_trip_ns);
    if (samples < kSamples) {
        ++samples;
        return false;
    }
    return has_ended = round_least_ns > least_ns + std::clamp(least_ns / 8, kLeastRise_ns, kMostRise_ns);
}

}  // namespace clearway::simulator
