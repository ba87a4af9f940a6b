#include "simulator/network/credited.hpp"

#include <algorithm>

namespace clearway::simulator {

namespace {

// A flow control packet: four bytes, their checksum, and the symbols around them (7.9.4, 5.2).
constexpr std::uint32_t kCreditWireBytes = 8;

}  // namespace

Credited::Credited(const Topology& topology) : Backpressure(topology.links.size()), hosts_(topology.hosts) {
    links_.reserve(topology.links.size());
    for (const TopologyLink& link : topology.links) {
        const bool is_to_host = link.to_node < topology.hosts;
        const std::uint64_t buffer_bytes = topology.links[link.reverse].settings.buffer_bytes;
        const std::uint64_t blocks = is_to_host ? kUnlimited : buffer_bytes / kCreditBlockBytes;
        OneWay& made = links_.emplace_back();
        made.ps_per_byte = ps_per_byte(link.settings.rate_bps);
        made.latency = from_ns(link.settings.latency_ns);
        made.reverse = link.reverse;
        made.lanes.resize(topology.lanes());
        for (Lane& lane : made.lanes) lane.blocks = blocks;
    }
}

bool Credited::enter(Picoseconds now, std::uint32_t link, const Waiting& item) {
    links_[link].lanes[item.lane].waiting.push(item);
    links_[link].waiting_bytes += item.frame.bytes;
    begin_what_can(now, link);
    schedule(link);
    return true;
}

void Credited::look_for_more(Picoseconds now, std::uint32_t host) {
    begin_what_can(now, host);
    schedule(host);
}

std::uint32_t Credited::step(Picoseconds now, Packet& packet) {
    const std::uint32_t index = take_event(now);
    if (index == kNoLink) return kNoLink;
    OneWay& link = links_[index];
    const bool has_arrived = !link.in_flight.empty() && link.in_flight.front().arrival <= now;
    if (has_arrived) {
        packet = link.in_flight.front().packet;
        link.in_flight.pop();
    } else {
        for (; !link.credits.empty() && link.credits.front().time <= now; link.credits.pop())
            link.lanes[link.credits.front().lane].blocks += link.credits.front().blocks;
        if (link.is_sending && link.free_at <= now) end(now, link);
        begin_what_can(now, index);
    }
    schedule(index);
    return has_arrived ? index : kNoLink;
}

bool Credited::can_begin(const Lane& lane) const {
    return !lane.waiting.empty() && credit_blocks(lane.waiting.front().frame.bytes) <= lane.blocks;
}

// Lanes take turns.
void Credited::begin_what_can(Picoseconds now, std::uint32_t index) {
    OneWay& link = links_[index];
    if (!link.is_idle(now)) return;
    if (Waiting item; index < hosts_ && link.waiting_bytes == 0 && feed(now, index, item)) {
        link.lanes[item.lane].waiting.push(item);
        link.waiting_bytes += item.frame.bytes;
    }
    const auto lanes = static_cast<std::uint32_t>(link.lanes.size());
    for (std::uint32_t i = 0; i < lanes; ++i) {
        Lane& lane = link.lanes[(link.turn + i) % lanes];
        if (!can_begin(lane)) continue;
        link.turn = (link.turn + i + 1) % lanes;
        return begin(now, link, lane);
    }
}

void Credited::begin(Picoseconds now, OneWay& link, Lane& lane) {
    const Waiting item = lane.waiting.front();
    lane.waiting.pop();
    link.waiting_bytes -= item.frame.bytes;
    if (lane.blocks != kUnlimited) lane.blocks -= credit_blocks(item.frame.bytes);
    link.is_sending = true;
    link.on_wire = item;
    link.free_at = now + item.frame.wire_bytes * link.ps_per_byte;
    link.in_flight.push({now + item.frame.head_bytes * link.ps_per_byte + link.latency, item.frame.packet});
}

void Credited::end(Picoseconds now, OneWay& link) {
    link.is_sending = false;
    if (link.on_wire.came_by != kNoLink) give_credit(now, link.on_wire);
}

// Over the cable's other direction, where it passes what waits, but not what has begun.
void Credited::give_credit(Picoseconds now, const Waiting& gone) {
    OneWay& taker = links_[gone.came_by];
    OneWay& way = links_[taker.reverse];
    const Picoseconds since = way.is_sending ? std::max(now, way.free_at) : now;
    const Picoseconds arrival = since + kCreditWireBytes * way.ps_per_byte + way.latency;
    taker.credits.push({arrival, credit_blocks(gone.frame.bytes), gone.came_by_lane});
    schedule(gone.came_by);
}

Picoseconds Credited::OneWay::next_time() const {
    Picoseconds next = is_sending ? free_at : kNever;
    if (!in_flight.empty()) next = std::min(next, in_flight.front().arrival);
    if (!credits.empty()) next = std::min(next, credits.front().time);
    return next;
}

}  // namespace clearway::simulator
