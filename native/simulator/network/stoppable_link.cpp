#include "simulator/network/stoppable_link.hpp"

#include <algorithm>

namespace clearway::simulator {

StoppableLink::StoppableLink(const LinkSettings& settings)
    : ps_per_byte_(ps_per_byte(settings.rate_bps)), latency_(from_ns(settings.latency_ns)) {}

void StoppableLink::queue(const Waiting& item) {
    waiting_.push(item);
    waiting_bytes_ += item.frame.bytes;
}

Picoseconds StoppableLink::send_control_frame(Picoseconds now, std::uint32_t wire_bytes) {
    free_at_ = std::max(now, free_at_) + wire_bytes * ps_per_byte_;
    return free_at_ + latency_;
}

void StoppableLink::obey(Picoseconds now) {
    while (!orders_.empty() && orders_.front().time <= now) {
        is_stopped_ = orders_.front().is_stop;
        orders_.pop();
    }
}

Waiting StoppableLink::begin(Picoseconds now) {
    const Waiting item = waiting_.front();
    waiting_.pop();
    waiting_bytes_ -= item.frame.bytes;
    free_at_ = now + item.frame.wire_bytes * ps_per_byte_;
    in_flight_.push({now + item.frame.head_bytes * ps_per_byte_ + latency_, item.frame.packet});
    return item;
}

Packet StoppableLink::take_arrived() {
    const Packet packet = in_flight_.front().packet;
    in_flight_.pop();
    return packet;
}

Picoseconds StoppableLink::next_time() const {
    Picoseconds next = kNever;
    if (!in_flight_.empty()) next = in_flight_.front().arrival;
    if (!orders_.empty()) next = std::min(next, orders_.front().time);
    if (!waiting_.empty() && !is_stopped_) next = std::min(next, free_at_);
    return next;
}

}  // namespace clearway::simulator
