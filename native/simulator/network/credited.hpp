// Moves packets where links have credits (InfiniBand Architecture Specification, volume 1, 7.9): a link knows how many
// blocks of 64 bytes its other end has room for, of each virtual lane, and begins no packet that would not fit. What
// waits for room keeps what is behind it in its lane waiting, whatever that is for: so congestion spreads.
//
//     card or port: a queue a lane ──▶ wire ──▶ input buffer: so many blocks a lane ──▶ next queue
//            ▲                                        │ the packet has left it
//            └──────────────── credits ◀──────────────┘
//
// Hosts take what comes at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/network/backpressure.hpp"
#include "simulator/network/topology.hpp"

namespace clearway::simulator {

inline constexpr std::uint32_t kCreditBlockBytes = 64;
constexpr std::uint64_t credit_blocks(std::uint64_t bytes) {
    return (bytes + kCreditBlockBytes - 1) / kCreditBlockBytes;
}

class Credited final : public Backpressure {
public:
    explicit Credited(const Topology& topology);

    std::uint64_t waiting_bytes(std::uint32_t link) const override { return links_[link].waiting_bytes; }
    bool enter(Picoseconds now, std::uint32_t link, const Waiting& item) override;
    void look_for_more(Picoseconds now, std::uint32_t host) override;
    std::uint32_t step(Picoseconds now, Packet& packet) override;

private:
    struct InFlight {
        Picoseconds arrival;
        Packet packet;
    };
    struct Credit {
        Picoseconds time;
        std::uint64_t blocks;
        std::uint32_t lane;
    };
    struct Lane {
        std::uint64_t blocks;
        Ring<Waiting> waiting;
    };
    struct OneWay {
        Picoseconds ps_per_byte, latency;
        std::uint32_t reverse;
        std::vector<Lane> lanes;
        std::uint32_t turn = 0;  // the lane that is looked at first
        std::uint64_t waiting_bytes = 0;
        bool is_sending = false;
        Picoseconds free_at = 0;  // when the wire has carried all that has begun
        Waiting on_wire{};        // whose place in the buffer before this link is free then
        Ring<InFlight> in_flight;
        Ring<Credit> credits;  // on their way to this link

        bool is_idle(Picoseconds now) const { return !is_sending && free_at <= now; }
        Picoseconds next_time() const;
    };

    bool can_begin(const Lane& lane) const;
    void begin_what_can(Picoseconds now, std::uint32_t link);
    void begin(Picoseconds now, OneWay& link, Lane& lane);
    void end(Picoseconds now, OneWay& link);
    void give_credit(Picoseconds now, const Waiting& gone);
    void schedule(std::uint32_t link) { Backpressure::schedule(link, links_[link].next_time()); }

    std::vector<OneWay> links_;
    std::uint32_t hosts_;
};

}  // namespace clearway::simulator
