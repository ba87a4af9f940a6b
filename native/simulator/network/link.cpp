#include "simulator/network/link.hpp"

namespace clearway::simulator {

Link::Link(const LinkSettings& settings, Memory& memory)
    : settings_(settings),
      ps_per_byte_(ps_per_byte(settings.rate_bps)),
      latency_(from_ns(settings.latency_ns)),
      burst_(static_cast<Picoseconds>(settings.burst_bytes) * ps_per_byte_),
      free_at_(-burst_),
      in_flight_(memory) {}

}  // namespace clearway::simulator
