#include "simulator/network/network.hpp"

#include <utility>

namespace clearway::simulator {

Network::Network(Topology topology, const Framing& framing) : topology_(std::move(topology)), framing_(framing) {
    links_.reserve(topology_.links.size());
    for (const TopologyLink& link : topology_.links) links_.emplace_back(link.settings, link.to_node);
}

void Network::send(Picoseconds now, std::uint32_t from_host, const Packet& packet) {
    ++counts_.sent;
    enter(now, from_host, packet);
}

void Network::enter(Picoseconds now, std::uint32_t link_index, Packet packet) {
    Link& link = links_[link_index];
    const std::uint32_t bytes = bytes_in_buffer(framing_, packet);
    if (!has_room(now, link, bytes)) {
        ++counts_.drops;
        saw(Happening::dropped, now, link_index, packet);
        return;
    }
    if (link.is_congested()) packet.has_met_congestion = 1;
    saw(Happening::queued, now, link_index, packet);
    const bool was_empty = link.is_empty();
    link.queue(now, packet, bytes, bytes + framing_.gap_bytes);
    const std::uint64_t left = link.settle(now);  // this one, where nothing was before it
    if (link.pool() != kNoPool) topology_.pools[link.pool()].used_bytes += bytes - left;
    if (was_empty) arrivals_.push({link.next().arrival, link_index});
}

bool Network::has_room(Picoseconds now, Link& link, std::uint32_t bytes) {
    const std::uint64_t left = link.settle(now);
    if (link.pool() == kNoPool) return link.has_room(bytes);
    SharedBuffer& pool = topology_.pools[link.pool()];
    pool.used_bytes -= left;
    if (!link.has_room(bytes)) return false;
    if (pool.has_room(link.waiting_bytes(), bytes)) return true;
    // What other ports have sent meanwhile is not in the account yet; with it there can only be more room.
    settle_pool(now, link.pool());
    return pool.has_room(link.waiting_bytes(), bytes);
}

void Network::settle_pool(Picoseconds now, std::uint32_t pool) {
    for (Link& link : links_)
        if (link.pool() == pool) topology_.pools[pool].used_bytes -= link.settle(now);
}

Network::Arrival Network::step() {
    const Next next = arrivals_.top();
    Link& link = links_[next.link];
    const Packet packet = link.next().packet;
    if (link.pool() != kNoPool) topology_.pools[link.pool()].used_bytes -= link.settle(next.time);
    link.pop();
    if (link.is_empty()) {
        arrivals_.pop();
    } else {
        arrivals_.replace_top({link.next().arrival, next.link});
    }
    ++counts_.hops;
    saw(Happening::hop, next.time, next.link, packet);
    const bool is_first_hop = next.link < topology_.hosts;
    const std::uint32_t node = link.to_node();
    if (node < topology_.hosts) {
        ++counts_.arrived;
        return {packet, true, is_first_hop};
    }
    enter(next.time, topology_.next_link(node, host_of_endpoint_[packet.to]), packet);
    return {packet, false, is_first_hop};
}

Picoseconds Network::unhindered(std::uint32_t from_host, std::uint32_t to_host, std::uint16_t length) const {
    Packet packet{};
    packet.length = length & 0x3FFFU;
    const Picoseconds wire_bytes = Picoseconds{bytes_in_buffer(framing_, packet)} + framing_.gap_bytes;
    Picoseconds time = 0;
    for (std::uint32_t link = from_host;;) {
        const TopologyLink& each = topology_.links[link];
        const auto ps_per_byte =
            static_cast<Picoseconds>(8 * static_cast<std::uint64_t>(kSecond) / each.settings.rate_bps);
        time += wire_bytes * ps_per_byte + from_ns(each.settings.latency_ns);
        if (each.to_node < topology_.hosts) return time;
        link = topology_.next_link(each.to_node, to_host);
    }
}

}  // namespace clearway::simulator
