#include "simulator/network/network.hpp"

#include <algorithm>
#include <utility>

#include "simulator/network/credited.hpp"
#include "simulator/network/lossless.hpp"

namespace clearway::simulator {

namespace {

// On the wire: preamble, and the headers that a switch reads to choose a port (Ethernet, IP, TCP's ports).
constexpr std::uint32_t kHeadBytes = 8 + 14 + 20 + 4;

}  // namespace

Network::Network(Topology topology, const Framing& framing)
    : topology_(std::move(topology)),
      framing_(framing),
      links_of_shared_buffer_(topology_.shared_buffers.size()),
      marking_(topology_.flow_seed) {
    for (const TopologyLink& link : topology_.links) to_node_.push_back(link.to_node);
    if (topology_.has_credits) backpressure_ = std::make_unique<Credited>(topology_);
    if (topology_.is_lossless) backpressure_ = std::make_unique<Lossless>(topology_, framing_);
    if (backpressure_) return;
    links_.reserve(topology_.links.size());
    for (const TopologyLink& link : topology_.links) {
        if (link.settings.shared_buffer != kNoSharedBuffer)
            links_of_shared_buffer_[link.settings.shared_buffer].push_back(static_cast<std::uint32_t>(links_.size()));
        links_.emplace_back(link.settings, *link_memory_);
    }
}

void Network::send(Picoseconds now, std::uint32_t from_host, const Packet& packet) {
    ++counts_.sent;
    enter(now, from_host, kNoLink, packet);
}

// What must have come over a link before the node at its end can begin to send it on.
std::uint32_t Network::head_bytes(std::uint32_t link, std::uint32_t host, std::uint32_t flow,
                                  std::uint32_t wire_bytes) const {
    if (!topology_.cuts_through || to_node_[link] < topology_.hosts) return wire_bytes;
    const std::uint32_t next = topology_.next_link(to_node_[link], host, flow);
    const bool is_faster = topology_.links[next].settings.rate_bps > topology_.links[link].settings.rate_bps;
    return is_faster ? wire_bytes : std::min(kHeadBytes, wire_bytes);  // on a faster link the tail would be late
}

Frame Network::frame_of(std::uint32_t link, const Packet& packet) const {
    const std::uint32_t bytes = bytes_in_buffer(framing_, packet);
    const std::uint32_t wire_bytes = bytes + framing_.gap_bytes;
    return {packet, bytes, wire_bytes, head_bytes(link, host_of_endpoint_[packet.to], packet.to, wire_bytes)};
}

bool Network::next_packet(Picoseconds now, std::uint32_t host, Waiting& item) {
    Packet packet{};
    if (!source_->next_packet(now, host, packet)) return false;
    ++counts_.sent;
    item = {frame_of(host, packet), kNoLink, topology_.lane(host, host_of_endpoint_[packet.to]), 0};
    saw(Happening::queued, now, host, packet);
    return true;
}

void Network::enter(Picoseconds now, std::uint32_t link, std::uint32_t came_by, const Packet& packet) {
    Frame frame = frame_of(link, packet);
    if (is_relayed_ && came_by != kNoLink) now = packet_cost_->through_relay_at(now);
    const bool is_taken = backpressure_ ? queue_with_backpressure(now, link, came_by, frame) : queue(now, link, frame);
    if (!is_taken) ++counts_.drops;
    saw(is_taken ? Happening::queued : Happening::dropped, now, link, frame.packet);
}

bool Network::queue(Picoseconds now, std::uint32_t link_index, Frame& frame) {
    Link& link = links_[link_index];
    if (!has_room(now, link, frame.bytes)) return false;
    if (link.is_congested() && is_marked(link_index, link.waiting_bytes())) frame.packet.has_met_congestion = 1;
    const bool was_empty = link.is_empty();
    const bool tells_of_sent = tells_of_sent_ && link_index < topology_.hosts;
    const bool had_unsent = tells_of_sent && link.has_unsent();
    if (link.queue(now, frame) && packet_cost_ != nullptr) packet_cost_->hold_back(now);
    const std::uint64_t left = link.settle(now);  // this one, where nothing was before it
    if (link.shared_buffer() != kNoSharedBuffer)
        topology_.shared_buffers[link.shared_buffer()].used_bytes += frame.bytes - left;
    if (was_empty) events_.push({link.next_arrival(), arrival(link_index)});
    if (tells_of_sent && !had_unsent) events_.push({link.next_sent_at(), sending(link_index)});
    return true;
}

// Random early detection on the queue as it is (Floyd, Jacobson 1993; its average is not taken): Zhu et al. 2015.
bool Network::is_marked(std::uint32_t link, std::uint64_t waiting_bytes) {
    const LinkSettings& settings = topology_.links[link].settings;
    if (waiting_bytes <= settings.mark_bytes) return false;
    if (waiting_bytes > settings.mark_all_bytes) return true;
    const auto above = static_cast<double>(waiting_bytes - settings.mark_bytes);
    const auto most = static_cast<double>(settings.mark_all_bytes - settings.mark_bytes);
    return marking_.uniform() < settings.mark_share * above / most;
}

bool Network::queue_with_backpressure(Picoseconds now, std::uint32_t link, std::uint32_t came_by, Frame& frame) {
    if (topology_.links[link].settings.mark_bytes != kUnlimited && is_marked(link, backpressure_->waiting_bytes(link)))
        frame.packet.has_met_congestion = 1;
    Waiting item{frame, came_by};
    if (topology_.lanes() > 1) {
        const std::uint32_t host = host_of_endpoint_[frame.packet.to];
        item.lane = topology_.lane(link, host);
        item.came_by_lane = came_by == kNoLink ? 0 : topology_.lane(came_by, host);
    }
    const bool is_taken = backpressure_->enter(now, link, item);
    counts_.stops = backpressure_->stops();
    return is_taken;
}

bool Network::has_room(Picoseconds now, Link& link, std::uint32_t bytes) {
    const std::uint64_t left = link.settle(topology_.arrivals_first ? now - 1 : now);
    if (link.shared_buffer() == kNoSharedBuffer) return link.has_room(bytes);
    SharedBuffer& buffer = topology_.shared_buffers[link.shared_buffer()];
    buffer.used_bytes -= left;
    if (!link.has_room(bytes)) return false;
    if (buffer.has_room(link.waiting_bytes(), bytes)) return true;
    // What other ports have sent meanwhile is not in the account yet; with it there can only be more room.
    settle_shared_buffer(now, link.shared_buffer());
    return buffer.has_room(link.waiting_bytes(), bytes);
}

void Network::settle_shared_buffer(Picoseconds now, std::uint32_t buffer) {
    for (const std::uint32_t link : links_of_shared_buffer_[buffer])
        topology_.shared_buffers[buffer].used_bytes -= links_[link].settle(now);
}

Network::Arrival Network::step() {
    if (backpressure_) {
        const Picoseconds now = backpressure_->next_time();
        Packet packet;
        const std::uint32_t link = backpressure_->step(now, packet);
        return link == kNoLink ? Arrival{} : arrive(now, link, packet);
    }
    const Event next = events_.top();
    if (!next.is_arrival()) return tell_sent(next.link());
    Link& link = links_[next.link()];
    const Packet packet = link.next();
    if (link.shared_buffer() != kNoSharedBuffer)
        topology_.shared_buffers[link.shared_buffer()].used_bytes -= link.settle(next.time);
    link.pop();
    if (link.is_empty()) {
        events_.pop();
    } else {
        events_.replace_top({link.next_arrival(), next.what});
    }
    return arrive(next.time, next.link(), packet);
}

Network::Arrival Network::tell_sent(std::uint32_t link_index) {
    Link& link = links_[link_index];
    const Packet packet = link.take_sent();
    if (link.has_unsent()) {
        events_.replace_top({link.next_sent_at(), sending(link_index)});
    } else {
        events_.pop();
    }
    return {.packet = packet, .is_sent = true};
}

Network::Arrival Network::arrive(Picoseconds now, std::uint32_t link, const Packet& packet) {
    ++counts_.hops;
    saw(Happening::hop, now, link, packet);
    const bool is_sent = tells_of_sent_ && backpressure_ && link < topology_.hosts;  // nobody tells of it sooner
    const std::uint32_t node = to_node_[link];
    if (node < topology_.hosts) {
        ++counts_.arrived;
        return {packet, true, is_sent};
    }
    enter(now, topology_.next_link(node, host_of_endpoint_[packet.to], packet.to), link, packet);
    return {packet, false, is_sent};
}

Picoseconds Network::unhindered(std::uint32_t from_host, std::uint32_t to_host, std::uint16_t length) const {
    Packet packet{};
    packet.length = length & 0x3FFFU;
    const std::uint32_t wire_bytes = bytes_in_buffer(framing_, packet) + framing_.gap_bytes;
    Picoseconds time = 0;
    for (std::uint32_t link = from_host;;) {
        const LinkSettings& settings = topology_.links[link].settings;
        time +=
            head_bytes(link, to_host, 0, wire_bytes) * ps_per_byte(settings.rate_bps) + from_ns(settings.latency_ns);
        if (to_node_[link] < topology_.hosts) return time;
        link = topology_.next_link(to_node_[link], to_host, 0);
    }
}

}  // namespace clearway::simulator
