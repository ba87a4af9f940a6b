#include "simulator/network/lossless.hpp"

#include "simulator/network/flow_control.hpp"

namespace clearway::simulator {

Lossless::Lossless(const Topology& topology, const Framing& framing)
    : Backpressure(topology.links.size()),
      control_wire_bytes_(kControlFrameBytes + framing.gap_bytes),
      hosts_(topology.hosts) {
    links_.reserve(topology.links.size());
    for (const TopologyLink& link : topology.links) {
        links_.emplace_back(link.settings);
        ports_.push_back({.stop_bytes = link.settings.stop_bytes,
                          .buffer_bytes = topology.links[link.reverse].settings.buffer_bytes,
                          .reaction = reaction_time(link.settings.rate_bps),
                          .reverse = link.reverse});
    }
}

bool Lossless::enter(Picoseconds now, std::uint32_t link, const Waiting& item) {
    Port* port = item.came_by == kNoLink ? nullptr : &ports_[item.came_by];
    if (port != nullptr) {
        if (port->taken_bytes + item.frame.bytes > port->buffer_bytes) return false;
        port->taken_bytes += item.frame.bytes;
    }
    links_[link].queue(item);
    begin_what_can(now, link);
    schedule(link);
    if (port != nullptr && port->taken_bytes > port->stop_bytes && !port->has_said_stop) say(now, item.came_by, true);
    return true;
}

std::uint32_t Lossless::step(Picoseconds now, Packet& packet) {
    const std::uint32_t index = take_event(now);
    if (index == kNoLink) return kNoLink;
    StoppableLink& link = links_[index];
    const bool has_arrived = link.has_arrived(now);
    if (has_arrived) {
        packet = link.take_arrived();
    } else {
        link.obey(now);
        begin_what_can(now, index);
    }
    schedule(index);
    return has_arrived ? index : kNoLink;
}

void Lossless::look_for_more(Picoseconds now, std::uint32_t host) {
    take_more(now, host);
    begin_what_can(now, host);
    schedule(host);
}

// A card has its next packet ready while it sends one.
void Lossless::begin_what_can(Picoseconds now, std::uint32_t link) {
    if (!links_[link].can_begin(now)) return;
    pass_on(now, links_[link].begin(now));
    if (link < hosts_ && is_fed()) take_more(now, link);
}

void Lossless::take_more(Picoseconds now, std::uint32_t link) {
    if (Waiting item; links_[link].waiting_bytes() == 0 && feed(now, link, item)) links_[link].queue(item);
}

void Lossless::pass_on(Picoseconds now, const Waiting& item) {
    if (item.came_by == kNoLink) return;
    Port& port = ports_[item.came_by];
    port.taken_bytes -= item.frame.bytes;
    // With some distance between stop and go there are fewer frames that say so.
    if (port.has_said_stop && port.taken_bytes <= port.stop_bytes / 2) say(now, item.came_by, false);
}

// The frame takes the cable's other direction. Both kinds take as long to be heeded, so that none overtakes another.
void Lossless::say(Picoseconds now, std::uint32_t link, bool is_stop) {
    Port& port = ports_[link];
    port.has_said_stop = is_stop;
    stops_ += is_stop ? 1 : 0;
    const Picoseconds arrival = links_[port.reverse].send_control_frame(now, control_wire_bytes_);
    links_[link].order(arrival + port.reaction, is_stop);
    schedule(link);
}

}  // namespace clearway::simulator
