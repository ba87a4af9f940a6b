#include "simulator/tcp/round_trip.hpp"

#include <algorithm>

namespace clearway::simulator {

void measured_round_trip(Endpoint& endpoint, Picoseconds time) {
    const auto sample_ns = static_cast<std::uint32_t>(std::min<std::uint64_t>(to_ns(time), 0xFFFFFFFF));
    if (endpoint.srtt_ns == 0) {
        endpoint.srtt_ns = sample_ns;
        endpoint.rtt_variation_ns = sample_ns / 2;
        return;
    }
    const std::int64_t error = std::int64_t{sample_ns} - endpoint.srtt_ns;
    const std::int64_t variation = endpoint.rtt_variation_ns;
    endpoint.srtt_ns = static_cast<std::uint32_t>(endpoint.srtt_ns + error / 8);
    endpoint.rtt_variation_ns = static_cast<std::uint32_t>(variation + (std::abs(error) - variation) / 4);
}

Picoseconds timeout_of(const Endpoint& endpoint, const TcpSettings& settings) {
    const std::uint64_t variation_ns = std::uint64_t{4} * endpoint.rtt_variation_ns;
    const std::uint64_t base_ns = settings.timeout_rule == TimeoutRule::linux
                                      ? endpoint.srtt_ns + std::max(variation_ns, settings.least_timeout_ns)
                                      : std::max(endpoint.srtt_ns + variation_ns, settings.least_timeout_ns);
    const unsigned doublings = std::min<unsigned>(endpoint.backoff, 16);
    return from_ns(std::min(base_ns << doublings, settings.most_timeout_ns));
}

}  // namespace clearway::simulator
