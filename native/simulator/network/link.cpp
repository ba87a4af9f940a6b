#include "simulator/network/link.hpp"

#include <algorithm>

namespace clearway::simulator {

Link::Link(const LinkSettings& settings)
    : settings_(settings),
      ps_per_byte_(ps_per_byte(settings.rate_bps)),
      latency_(from_ns(settings.latency_ns)),
      burst_(static_cast<Picoseconds>(settings.burst_bytes) * ps_per_byte_),
      free_at_(-burst_) {}

Picoseconds Link::time_of(std::uint32_t wire_bytes) const {
    return static_cast<Picoseconds>(wire_bytes) * ps_per_byte_;
}

// A wire takes a packet from the queue when it begins to send it; a token bucket when it has gathered its tokens.
Picoseconds Link::leaves_queue_at(const InFlight& item) const {
    const Picoseconds sent = item.arrival - latency_;
    return burst_ > 0 ? sent : sent - time_of(item.head_bytes);
}

std::uint64_t Link::settle(Picoseconds now) {
    const std::uint64_t before = waiting_bytes_;
    while (begun_ < in_flight_.size() && leaves_queue_at(in_flight_[begun_]) <= now)
        waiting_bytes_ -= in_flight_[begun_++].bytes;
    return before - waiting_bytes_;
}

void Link::queue(Picoseconds now, const Frame& frame) {
    free_at_ = std::max(free_at_, now - burst_) + time_of(frame.wire_bytes);
    const Picoseconds arrival = std::max(now, free_at_) - time_of(frame.wire_bytes - frame.head_bytes) + latency_;
    in_flight_.push({arrival, frame.packet, frame.bytes, frame.head_bytes});
    waiting_bytes_ += frame.bytes;
}

void Link::pop() {
    if (begun_ > 0) {
        --begun_;
    } else {
        waiting_bytes_ -= in_flight_.front().bytes;
    }
    in_flight_.pop();
}

}  // namespace clearway::simulator
