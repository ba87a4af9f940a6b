// Moves packets from host to host over a Topology, one arrival after another.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/events/min_heap.hpp"
#include "simulator/network/framing.hpp"
#include "simulator/network/link.hpp"
#include "simulator/network/lossless.hpp"
#include "simulator/network/topology.hpp"
#include "simulator/tcp/packet_cost.hpp"

namespace clearway::simulator {

struct NetworkCounts {
    std::uint64_t hops = 0;     // packets that arrived at the end of a link
    std::uint64_t drops = 0;    // packets that found a full buffer
    std::uint64_t arrived = 0;  // packets at the hosts that they were for
    std::uint64_t sent = 0;     // packets that hosts gave to their cards
    std::uint64_t stops = 0;    // PAUSE frames that said stop
};

enum class Happening : std::uint8_t { queued, dropped, hop };

// Sees every packet: for tests and traces.
struct Watcher {
    virtual void saw(Happening happening, Picoseconds now, std::uint32_t link, const Packet& packet) = 0;

protected:
    ~Watcher() = default;
};

class Network {
public:
    Network(Topology topology, const Framing& framing);

    void watch(Watcher* watcher) { watcher_ = watcher; }
    // Steps also tell when a card has sent a packet, which may be long before it has come to the other end.
    void tell_of_sent() { tells_of_sent_ = true; }
    const NetworkCounts& counts() const { return counts_; }
    const Topology& topology() const { return topology_; }
    const Framing& framing() const { return framing_; }

    // Which host an endpoint is on; endpoints are numbered in the order of these calls.
    void add_endpoint(std::uint32_t host) { host_of_endpoint_.push_back(static_cast<std::uint16_t>(host)); }
    std::uint32_t host_of(std::uint32_t endpoint) const { return host_of_endpoint_[endpoint]; }

    void send(Picoseconds now, std::uint32_t from_host, const Packet& packet);

    Picoseconds next_time() const {
        if (lossless_) return lossless_->next_time();
        return events_.empty() ? kNever : events_.top().time;
    }

    struct Arrival {
        Packet packet{};
        bool is_at_host = false;  // else it is on its way to the next link, or there was no arrival
        bool is_sent = false;     // it has just left the sender's card: see tell_of_sent
    };
    // Carries out what happens at next_time().
    Arrival step();

    // How long a packet of so many bytes of payload takes where nothing is in its way.
    Picoseconds unhindered(std::uint32_t from_host, std::uint32_t to_host, std::uint16_t length) const;

    // Links and, if `is_relayed`, switches take of the processor that hosts share.
    void charge(PacketCost* packets, bool is_relayed) {
        packet_cost_ = packets;
        is_relayed_ = is_relayed;
    }

private:
    PacketCost* packet_cost_ = nullptr;  // none: packets cost nothing
    bool is_relayed_ = false;
    struct Event {
        Picoseconds time;
        std::uint32_t what;  // twice the link: it has sent a packet; and one: that has come to its other end
        std::uint32_t link() const { return what / 2; }
        bool is_arrival() const { return what % 2 == 1; }
        auto operator<=>(const Event&) const = default;
    };
    static constexpr std::uint32_t sending(std::uint32_t link) { return 2 * link; }
    static constexpr std::uint32_t arrival(std::uint32_t link) { return 2 * link + 1; }

    std::uint32_t head_bytes(std::uint32_t link, std::uint32_t host, std::uint32_t flow,
                             std::uint32_t wire_bytes) const;
    void enter(Picoseconds now, std::uint32_t link, std::uint32_t came_by, const Packet& packet);
    bool queue(Picoseconds now, std::uint32_t link, Frame& frame);
    bool queue_lossless(Picoseconds now, std::uint32_t link, std::uint32_t came_by, Frame& frame);
    Arrival tell_sent(std::uint32_t link);
    Arrival arrive(Picoseconds now, std::uint32_t link, const Packet& packet);
    bool has_room(Picoseconds now, Link& link, std::uint32_t bytes);
    void settle_shared_buffer(Picoseconds now, std::uint32_t buffer);
    void saw(Happening happening, Picoseconds now, std::uint32_t link, const Packet& packet) const {
        if (watcher_ != nullptr) watcher_->saw(happening, now, link, packet);
    }

    Topology topology_;
    Framing framing_;
    std::vector<std::uint32_t> to_node_;                                            // by link
    std::unique_ptr<Link::Memory> link_memory_ = std::make_unique<Link::Memory>();  // stays where it is
    std::vector<Link> links_;
    MinHeap<Event> events_;                                           // of each link that carries something, its next
    std::vector<std::vector<std::uint32_t>> links_of_shared_buffer_;  // that take from a shared buffer
    std::optional<Lossless> lossless_;                                // then it has the links
    std::vector<std::uint16_t> host_of_endpoint_;  // a topology has fewer hosts than that tells apart
    NetworkCounts counts_;
    Watcher* watcher_ = nullptr;
    bool tells_of_sent_ = false;
};

}  // namespace clearway::simulator
