// Moves packets from host to host over a Topology, one arrival after another.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/events/min_heap.hpp"
#include "simulator/network/framing.hpp"
#include "simulator/network/link.hpp"
#include "simulator/network/topology.hpp"

namespace clearway::simulator {

struct NetworkCounts {
    std::uint64_t hops = 0;     // packets that arrived at the end of a link
    std::uint64_t drops = 0;    // packets that found a full buffer
    std::uint64_t arrived = 0;  // packets at the hosts that they were for
    std::uint64_t sent = 0;     // packets that hosts gave to their cards
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
    void add_endpoint(std::uint32_t host) { host_of_endpoint_.push_back(host); }
    std::uint32_t host_of(std::uint32_t endpoint) const { return host_of_endpoint_[endpoint]; }

    void send(Picoseconds now, std::uint32_t from_host, const Packet& packet);

    Picoseconds next_time() const { return arrivals_.empty() ? kNever : arrivals_.top().time; }

    struct Arrival {
        Packet packet;
        bool is_at_host;    // else it is on its way to the next link
        bool is_first_hop;  // has just left the sender's card
    };
    // Carries out the arrival at next_time().
    Arrival step();

    // How long a packet of so many bytes of payload takes where nothing is in its way.
    Picoseconds unhindered(std::uint32_t from_host, std::uint32_t to_host, std::uint16_t length) const;

private:
    struct Next {
        Picoseconds time;
        std::uint32_t link;
        auto operator<=>(const Next&) const = default;
    };

    void enter(Picoseconds now, std::uint32_t link, Packet packet);
    bool has_room(Picoseconds now, Link& link, std::uint32_t bytes);
    void settle_pool(Picoseconds now, std::uint32_t pool);
    void saw(Happening happening, Picoseconds now, std::uint32_t link, const Packet& packet) const {
        if (watcher_ != nullptr) watcher_->saw(happening, now, link, packet);
    }

    Topology topology_;
    Framing framing_;
    std::vector<Link> links_;
    MinHeap<Next> arrivals_;  // of each link that carries something, its next
    std::vector<std::uint32_t> host_of_endpoint_;
    NetworkCounts counts_;
    Watcher* watcher_ = nullptr;
};

}  // namespace clearway::simulator
