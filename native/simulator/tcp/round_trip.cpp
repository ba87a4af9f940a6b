#include "simulator/tcp/round_trip.hpp"

#include <algorithm>

namespace clearway::simulator {

void measured_round_trip(Learnt& learnt, Picoseconds time) {
    const auto sample_ns = static_cast<std::uint32_t>(std::min<std::uint64_t>(to_ns(time), 0xFFFFFFFF));
    if (learnt.srtt_ns == 0) {
        learnt.srtt_ns = sample_ns;
        learnt.rtt_variation_ns = sample_ns / 2;
        return;
    }
    const std::int64_t error = std::int64_t{sample_ns} - learnt.srtt_ns;
    const std::int64_t variation = learnt.rtt_variation_ns;
    learnt.srtt_ns = static_cast<std::uint32_t>(learnt.srtt_ns + error / 8);
    learnt.rtt_variation_ns = static_cast<std::uint32_t>(variation + (std::abs(error) - variation) / 4);
}

Picoseconds timeout_of(const Learnt& learnt, unsigned backoff, const TcpSettings& settings) {
    const std::uint64_t variation_ns = std::uint64_t{4} * learnt.rtt_variation_ns;
    const std::uint64_t base_ns = settings.timeout_rule == TimeoutRule::linux
                                      ? learnt.srtt_ns + std::max(variation_ns, settings.least_timeout_ns)
                                      : std::max(learnt.srtt_ns + variation_ns, settings.least_timeout_ns);
    const unsigned doublings = std::min(backoff, 16U);
    return from_ns(std::min(base_ns << doublings, settings.most_timeout_ns));
}

}  // namespace clearway::simulator
