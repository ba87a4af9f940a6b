// Moves packets from host to host over a Topology, one arrival after another.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/events/min_heap.hpp"
#include "simulator/events/random.hpp"
#include "simulator/network/backpressure.hpp"
#include "simulator/network/framing.hpp"
#include "simulator/network/link.hpp"
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

// A program of the cards, which takes each packet from the queue pairs when the card can send it: transport.hpp.
struct PacketSource {
    virtual bool next_packet(Picoseconds now, std::uint32_t host, Packet& packet) = 0;

protected:
    ~PacketSource() = default;
};

class Network final : public CardFeed {
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

    // Instead of send(), where packets wait for their turn before the card, not in it: of a network with backpressure.
    void take_from(PacketSource* source) {
        source_ = source;
        backpressure_->feed_cards(this);
    }
    void look_for_more(Picoseconds now, std::uint32_t host) { backpressure_->look_for_more(now, host); }
    bool next_packet(Picoseconds now, std::uint32_t host, Waiting& item) override;

    Picoseconds next_time() const {
        if (backpressure_) return backpressure_->next_time();
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
    Frame frame_of(std::uint32_t link, const Packet& packet) const;
    bool is_marked(std::uint32_t link, std::uint64_t waiting_bytes);
    bool queue_with_backpressure(Picoseconds now, std::uint32_t link, std::uint32_t came_by, Frame& frame);
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
    std::unique_ptr<Backpressure> backpressure_;                      // then it has the links
    std::vector<std::uint16_t> host_of_endpoint_;  // a topology has fewer hosts than that tells apart
    Random marking_;
    NetworkCounts counts_;
    Watcher* watcher_ = nullptr;
    PacketSource* source_ = nullptr;
    bool tells_of_sent_ = false;
};

}  // namespace clearway::simulator
