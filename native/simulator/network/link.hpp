// One direction of a cable, with the queue before it: of a host's card, or of a switch's port. When a packet leaves is
// known as soon as it is queued, so it costs one event, its arrival at the other end.
//
//     queue (waiting)       | on the wire      | in flight
//     not begun             | rate             | latency        → arrival, whole: switches store and forward
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simulator/events/time.hpp"
#include "simulator/network/block_queue.hpp"
#include "simulator/network/packet.hpp"
#include "simulator/network/ring.hpp"

namespace clearway::simulator {

inline constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
inline constexpr std::uint32_t kNoSharedBuffer = ~std::uint32_t{0};

constexpr Picoseconds ps_per_byte(std::uint64_t rate_bps) {
    return static_cast<Picoseconds>(8 * static_cast<std::uint64_t>(kSecond) / rate_bps);
}

struct LinkSettings {
    std::uint64_t rate_bps = 1'000'000'000;
    std::uint64_t latency_ns = 0;
    std::uint64_t buffer_bytes = kUnlimited;  // what may wait: a port drops what comes on top
    std::uint64_t burst_bytes = 0;            // of a token bucket (Linux tbf): what passes at once after a rest
    std::uint64_t mark_bytes = kUnlimited;    // packets that find more waiting are marked (ECN): all, or,
    std::uint64_t mark_all_bytes = 0;         // up to so much, a share that grows to `mark_share` (RED)
    double mark_share = 1;
    std::uint32_t shared_buffer = kNoSharedBuffer;  // the shared buffer that its queue takes from
    // What came over it and the switch at its end has not passed on: above, the switch says stop (flow_control.hpp).
    std::uint64_t stop_bytes = kUnlimited;
};

// A packet as it is on a wire.
struct Frame {
    Packet packet;
    std::uint32_t bytes;       // in a buffer
    std::uint32_t wire_bytes;  // with the gap
    std::uint32_t head_bytes;  // what must have come before the other end does something with it
};

class Link {
    // A card's queue may hold a packet for each other host. Few have a SACK block: these are kept apart.
    struct [[gnu::packed, gnu::aligned(4)]] InFlight {
        Picoseconds arrival;
        std::byte packet[kBytesBeforeSack];
        std::uint16_t bytes : 15;
        std::uint16_t has_sack : 1;
        std::uint16_t head_bytes;
    };
    static_assert(sizeof(InFlight) == 28);

public:
    using Memory = Blocks<InFlight>;  // which links share

    Link(const LinkSettings& settings, Memory& memory);

    std::uint32_t shared_buffer() const { return settings_.shared_buffer; }

    // Bytes that wait at `now`; returns how many have left the queue since it was asked last.
    std::uint64_t settle(Picoseconds now);
    std::uint64_t waiting_bytes() const { return waiting_bytes_; }

    // After settle(now), with the packet's own bytes.
    bool has_room(std::uint32_t bytes) const { return waiting_bytes_ + bytes <= settings_.buffer_bytes; }
    bool is_congested() const { return waiting_bytes_ > settings_.mark_bytes; }
    bool queue(Picoseconds now, const Frame& frame);  // returns whether it has to wait for its turn

    // Of what was queued, the first that has not been told of as sent: for senders that wait for that (small queues).
    bool has_unsent() const { return in_flight_.has_unseen(kSent); }
    Picoseconds next_sent_at() { return in_flight_.unseen(kSent).arrival - latency_; }
    Packet take_sent() {
        const Packet packet = packet_of(in_flight_.unseen(kSent));
        in_flight_.see(kSent);
        return packet;
    }

    bool is_empty() const { return in_flight_.empty(); }
    Picoseconds next_arrival() const { return in_flight_.front().arrival; }
    Packet next() const;
    void pop();

private:
    // Who looks at what is in flight: whoever counts what has left the queue, and whoever tells of what was sent.
    static constexpr std::uint32_t kBegun = 0, kSent = 1;
    struct Sack {
        std::uint32_t begin, end;
    };

    static Packet packet_of(const InFlight& item);  // without its SACK
    Picoseconds time_of(std::uint32_t wire_bytes) const;
    Picoseconds leaves_queue_at(const InFlight& item) const;

    LinkSettings settings_;
    Picoseconds ps_per_byte_;
    Picoseconds latency_;
    Picoseconds burst_;
    Picoseconds free_at_ = 0;  // when the wire has carried all that was queued
    BlockQueue<InFlight, 2> in_flight_;
    Ring<Sack> sacks_;  // of those in flight that have one
    std::uint64_t waiting_bytes_ = 0;
};

// Here, to be inlined: every hop comes by.

inline Picoseconds Link::time_of(std::uint32_t wire_bytes) const {
    return static_cast<Picoseconds>(wire_bytes) * ps_per_byte_;
}

// A wire takes a packet from the queue when it begins to send it; a token bucket when it has gathered its tokens.
inline Picoseconds Link::leaves_queue_at(const InFlight& item) const {
    const Picoseconds sent = item.arrival - latency_;
    return burst_ > 0 ? sent : sent - time_of(item.head_bytes);
}

inline std::uint64_t Link::settle(Picoseconds now) {
    const std::uint64_t before = waiting_bytes_;
    while (in_flight_.has_unseen(kBegun)) {
        const InFlight& next = in_flight_.unseen(kBegun);
        if (leaves_queue_at(next) > now) break;
        waiting_bytes_ -= next.bytes;
        in_flight_.see(kBegun);
    }
    return before - waiting_bytes_;
}

inline bool Link::queue(Picoseconds now, const Frame& frame) {
    free_at_ = std::max(free_at_, now - burst_) + time_of(frame.wire_bytes);
    const Picoseconds arrival = std::max(now, free_at_) - time_of(frame.wire_bytes - frame.head_bytes) + latency_;
    const Packet& packet = frame.packet;
    InFlight& item = in_flight_.push();
    item.arrival = arrival;
    std::memcpy(item.packet, &packet, sizeof item.packet);
    item.bytes = static_cast<std::uint16_t>(frame.bytes & 0x7FFFU);
    item.has_sack = packet.has_sack() ? std::uint16_t{1} : std::uint16_t{0};
    item.head_bytes = static_cast<std::uint16_t>(frame.head_bytes);
    if (packet.has_sack()) sacks_.push({packet.sack_begin, packet.sack_end});
    waiting_bytes_ += frame.bytes;
    return free_at_ > now;
}

inline Packet Link::packet_of(const InFlight& item) {
    Packet packet{};
    std::memcpy(&packet, item.packet, sizeof item.packet);
    return packet;
}

inline Packet Link::next() const {
    Packet packet = packet_of(in_flight_.front());
    if (in_flight_.front().has_sack == 0) return packet;
    packet.sack_begin = sacks_.front().begin;
    packet.sack_end = sacks_.front().end;
    return packet;
}

inline void Link::pop() {
    if (!in_flight_.has_seen_front(kBegun)) waiting_bytes_ -= in_flight_.front().bytes;
    if (in_flight_.front().has_sack != 0) sacks_.pop();
    in_flight_.pop();
}

}  // namespace clearway::simulator
