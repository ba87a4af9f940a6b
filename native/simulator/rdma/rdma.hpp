// Queue pairs of reliable connections (RC) between hosts' cards, one a connection: InfiniBand Architecture
// Specification, volume 1, 9.7. Each write is a message, in packets of up to the MTU. Cards serve their queue pairs in
// turn, a packet each, and acknowledge whole messages. There is no window: the network takes what it has room for, and
// loses nothing (credited.hpp, lossless.hpp). With DCQCN a queue pair waits besides until its rate lets it send
// (dcqcn.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "simulator/events/timers.hpp"
#include "simulator/network/network.hpp"
#include "simulator/network/ring.hpp"
#include "simulator/rdma/settings.hpp"
#include "simulator/transport.hpp"

namespace clearway::simulator {

class Rdma final : public Transport, public PacketSource {
public:
    Rdma(const RdmaSettings& settings, Network& network, Timers& timers);

    void charge(PacketCost* packets, bool is_relayed) override { network_.charge(packets, is_relayed); }
    void reserve(std::uint64_t endpoints) override { ends_.reserve(endpoints); }
    std::uint32_t connect(std::uint32_t host, std::uint32_t peer_host) override;
    std::uint64_t write(Picoseconds now, std::uint32_t endpoint, std::uint64_t bytes) override;
    std::uint64_t written(std::uint32_t endpoint) const override { return ends_[endpoint].taken; }
    std::uint64_t received(std::uint32_t endpoint) const override { return ends_[endpoint].received; }
    void read(Picoseconds, std::uint32_t) override {}
    void arrive(Picoseconds now, const Packet& packet) override;
    void left_card(Picoseconds, const Packet&) override {}
    void wake(Picoseconds now, std::uint32_t endpoint) override;

    bool next_packet(Picoseconds now, std::uint32_t host, Packet& packet) override;

private:
    // Positions count bytes of a stream from its begin.
    //
    //   0 ...... taken ...... complete ======= sent ------- posted
    //      the program's no more      in flight    to be sent
    struct End {
        std::uint64_t taken = 0, complete = 0, sent = 0, posted = 0;
        std::uint64_t received = 0;       // whole messages
        Ring<std::uint64_t> unsent = {};  // where messages end
    };

    // Of an endpoint that has met congestion, as a sender or as a receiver: few have.
    struct Congested {
        RateLimiter limiter;
        Picoseconds notified_at;  // its peer, the last time
    };
    static constexpr std::uint32_t kNeverCongested = std::numeric_limits<std::uint32_t>::max();

    bool is_congested(std::uint32_t id) const { return !congested_.empty() && place_of_[id] != kNeverCongested; }
    bool has_to_wait(Picoseconds now, std::uint32_t id);
    Congested& congested(std::uint32_t id);
    void met_congestion(Picoseconds now, std::uint32_t id);
    void answer(Picoseconds now, std::uint32_t id, std::uint16_t kind);
    void complete(Picoseconds now, std::uint32_t id, std::uint64_t position);

    RdmaSettings settings_;
    Network& network_;
    Timers& timers_;
    std::vector<End> ends_;
    std::vector<Ring<std::uint32_t>> turns_;  // by host: endpoints that have something to send
    std::vector<std::uint32_t> place_of_;     // by endpoint, where there is DCQCN: in congested_
    std::vector<Congested> congested_;
};

}  // namespace clearway::simulator
