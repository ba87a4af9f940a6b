// Lossless Ethernet. A switch port that has taken much and cannot pass it on tells the other end of its cable to stop
// (IEEE 802.3 Annex 31B, PAUSE), and to go on when it has room again. With 802.1Qbb (PFC) one priority stops; all
// simulated traffic is of one, so it is the same here.
#pragma once

#include <cstdint>

#include "simulator/network/framing.hpp"
#include "simulator/network/topology.hpp"

namespace clearway::simulator {

inline constexpr std::uint32_t kControlFrameBytes = 64;

// From the arrival of a PAUSE frame until no further frame begins.
Picoseconds reaction_time(std::uint64_t rate_bps);

// What may still come over the link when its receiver has begun to say stop.
std::uint64_t headroom_bytes(const LinkSettings& link, const Framing& framing, std::uint32_t segment_bytes);

// Gives every link into a switch its thresholds: of its port's buffer the headroom stays free for what still comes.
// Where switches do not stop one another, ports between them drop what they have no room for.
void make_lossless(Topology& topology, const Framing& framing, std::uint32_t segment_bytes, bool stops_switches);

}  // namespace clearway::simulator
