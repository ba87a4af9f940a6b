// HyStart (Ha and Rhee 2011), as net/ipv4/tcp_cubic.c has it: slow start ends before it loses packets, when
// acknowledgements come as a train that is too long, or when round trips have become longer.
#pragma once

#include <cstdint>

#include "simulator/events/time.hpp"

namespace clearway::simulator {

inline constexpr float kLeastHyStartWindow = 16;  // segments: below, slow start goes on

struct HyStart {
    std::uint64_t round_end : 56 = 0;  // the round ends when more than this is acknowledged
    std::uint8_t samples : 7 = 0;
    bool has_ended : 1 = false;  // once, until a timeout
    Picoseconds round_began_at = 0, last_ack_at = 0;
    std::uint32_t least_ns = 0;        // of all round trips; 0: not measured
    std::uint32_t round_least_ns = 0;  // of the first few of this round

    // With each acknowledgement of what was sent once; returns whether slow start is to end.
    bool ends(Picoseconds now, std::uint64_t una, std::uint64_t nxt, float window, std::uint32_t round_trip_ns);

    std::uint32_t& next_idle() { return round_least_ns; }
};
static_assert(sizeof(HyStart) == 32);

}  // namespace clearway::simulator
