// Round-trip times, and the timeout that follows from them: RFC 6298, and Linux's tcp_rtt_estimator.
#pragma once

#include "simulator/tcp/endpoint.hpp"
#include "simulator/tcp/settings.hpp"

namespace clearway::simulator {

void measured_round_trip(Learnt& learnt, Picoseconds time);

// With the back-off of timeouts in a row: doubled for each.
Picoseconds timeout_of(const Learnt& learnt, unsigned backoff, const TcpSettings& settings);

}  // namespace clearway::simulator
