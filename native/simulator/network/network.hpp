// Moves packets from host to host over a Topology, one arrival after another.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/events/min_heap.hpp"
#include "simulator/network/framing.hpp"
#include "simulator/network/link.hpp"
#include "simulator/network/lossless.hpp"
#include "simulator/network/topology.hpp"

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
    const NetworkCounts& counts() const { return counts_; }
    const Topology& topology() const { return topology_; }
    const Framing& framing() const { return framing_; }

    // Which host an endpoint is on; endpoints are numbered in the order of these calls.
    void add_endpoint(std::uint32_t host) { host_of_endpoint_.push_back(static_cast<std::uint16_t>(host)); }
    std::uint32_t host_of(std::uint32_t endpoint) const { return host_of_endpoint_[endpoint]; }

    void send(Picoseconds now, std::uint32_t from_host, const Packet& packet);

    Picoseconds next_time() const {
        if (lossless_) return lossless_->next_time();
        return arrivals_.empty() ? kNever : arrivals_.top().time;
    }

    struct Arrival {
        Packet packet{};
        bool is_at_host = false;    // else it is on its way to the next link, or there was no arrival
        bool is_first_hop = false;  // has just left the sender's card
    };
    // Carries out what happens at next_time().
    Arrival step();

    // How long a packet of so many bytes of payload takes where nothing is in its way.
    Picoseconds unhindered(std::uint32_t from_host, std::uint32_t to_host, std::uint16_t length) const;

private:
    struct Next {
        Picoseconds time;
        std::uint32_t link;
        auto operator<=>(const Next&) const = default;
    };

    std::uint32_t head_bytes(std::uint32_t link, std::uint32_t host, std::uint32_t flow,
                             std::uint32_t wire_bytes) const;
    void enter(Picoseconds now, std::uint32_t link, std::uint32_t came_by, const Packet& packet);
    bool queue(Picoseconds now, std::uint32_t link, Frame& frame);
    bool queue_lossless(Picoseconds now, std::uint32_t link, std::uint32_t came_by, Frame& frame);
    Arrival arrive(Picoseconds now, std::uint32_t link, const Packet& packet);
    bool has_room(Picoseconds now, Link& link, std::uint32_t bytes);
    void settle_shared_buffer(Picoseconds now, std::uint32_t buffer);
    void saw(Happening happening, Picoseconds now, std::uint32_t link, const Packet& packet) const {
        if (watcher_ != nullptr) watcher_->saw(happening, now, link, packet);
    }

    Topology topology_;
    Framing framing_;
    std::vector<std::uint32_t> to_node_;  // by link
    std::vector<Link> links_;
    MinHeap<Next> arrivals_;                                          // of each link that carries something, its next
    std::vector<std::vector<std::uint32_t>> links_of_shared_buffer_;  // that take from a shared buffer
    std::optional<Lossless> lossless_;                                // then it has the links
    std::vector<std::uint16_t> host_of_endpoint_;  // a topology has fewer hosts than that tells apart
    NetworkCounts counts_;
    Watcher* watcher_ = nullptr;
};

}  // namespace clearway::simulator
