// Two hosts on a cable, with a program at each end that reads whatever comes: for tests of TCP.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulator/network/network.hpp"
#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

struct Seen {
    Happening happening;
    Picoseconds time;
    std::uint32_t link;
    Packet packet;
};

class Pair final : public StreamUser, public Watcher {
public:
    // Frames of 1,500 bytes, 1,448 of them payload: 12 µs on the wire at 1 Gbit/s. An acknowledgement has 52.
    static constexpr Framing kFraming{.sack_bytes = 0, .frame_bytes = 0, .least_frame_bytes = 0, .gap_bytes = 0};

    explicit Pair(const TcpSettings& settings, std::uint64_t card_buffer_bytes = kUnlimited,
                  std::uint64_t latency_ns = 10'000)
        : network_(crossover({.rate_bps = 1'000'000'000, .latency_ns = latency_ns, .buffer_bytes = card_buffer_bytes}),
                   kFraming),
          tcp_(settings, network_, timers_),
          left_(tcp_.connect(0, 1)) {
        network_.watch(this);
        tcp_.serve(*this);
    }

    Tcp& tcp() { return tcp_; }
    std::uint32_t left() const { return left_; }
    std::uint32_t right() const { return Tcp::peer_of(left_); }
    std::uint64_t read_by_right() const { return tcp_.has_read(right()); }

    void write_segments(std::uint64_t count) { tcp_.write(now_, left_, count * 1'448); }

    // Until nothing happens any more, or not before `end`.
    void run(Picoseconds end = kNever) {
        for (;;) {
            const Picoseconds arrival = network_.next_time();
            const Picoseconds waking = timers_.empty() ? kNever : timers_.top().time;
            if (std::min(arrival, waking) >= end) return;
            now_ = std::min(arrival, waking);
            if (arrival <= waking) {
                const Network::Arrival arrived = network_.step();
                if (arrived.is_sent) tcp_.left_card(now_, arrived.packet);
                if (arrived.is_at_host) tcp_.arrive(now_, arrived.packet);
            } else {
                const Timer timer = timers_.top();
                timers_.pop();
                tcp_.wake(now_, timer.subject());
            }
        }
    }

    // Packets with payload that the left host's card took or dropped.
    std::vector<Seen> data(Happening happening) const {
        std::vector<Seen> found;
        for (const Seen& each : seen_)
            if (each.happening == happening && each.link == 0 && each.packet.length > 0) found.push_back(each);
        return found;
    }
    std::vector<Seen> acknowledgements() const {
        std::vector<Seen> found;
        for (const Seen& each : seen_)
            if (each.happening == Happening::queued && each.link == 1) found.push_back(each);
        return found;
    }

    void can_read(Picoseconds now, std::uint32_t endpoint) override { tcp_.read(now, endpoint); }
    void can_write(Picoseconds, std::uint32_t) override {}
    void saw(Happening happening, Picoseconds now, std::uint32_t link, const Packet& packet) override {
        seen_.push_back({happening, now, link, packet});
    }

private:
    Timers timers_;
    Network network_;
    Tcp tcp_;
    std::uint32_t left_;
    std::vector<Seen> seen_;
    Picoseconds now_ = 0;
};

}  // namespace clearway::simulator
