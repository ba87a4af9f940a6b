// What was sent and is not acknowledged, segment by segment: the queue of net/ipv4/tcp_output.c's retransmissions, and
// its counts, which tcp_packets_in_flight() is made of. A segment is sent again as it was sent first.
#pragma once

#include <cstdint>

#include "simulator/events/time.hpp"
#include "simulator/network/ring.hpp"

namespace clearway::simulator {

struct Segment {
    std::uint64_t end;
    Picoseconds sent_at;  // the last time
    std::uint16_t length;
    bool is_sacked = false;
    bool is_lost = false;
    bool is_sent_again = false;   // since it was lost
    bool was_sent_again = false;  // ever: which of them is acknowledged? (Karn and Partridge 1987)

    std::uint64_t begin() const { return end - length; }
};

// What a packet told of: segments that had not been known to have arrived.
struct Delivery {
    std::uint32_t segments = 0;
    Picoseconds first_sent_at = kNever;  // of those that were sent once, the first and the last
    Picoseconds last_sent_at = kNever;
};

// RACK (RFC 8985): of all segments that have arrived, the one that was sent last.
struct LastArrived {
    Picoseconds sent_at = 0;
    std::uint64_t end = 0;
    Picoseconds round_trip = 0;
};

class Flight {
public:
    bool empty() const { return segments_.empty(); }
    std::uint32_t size() const { return static_cast<std::uint32_t>(segments_.size()); }
    const Segment& operator[](std::uint32_t i) const { return segments_[i]; }

    std::uint32_t sacked() const { return sacked_; }
    std::uint32_t lost() const { return lost_; }
    std::uint32_t in_flight() const { return size() - sacked_ - lost_ + again_; }
    const LastArrived& last_arrived() const { return last_arrived_; }

    void send(std::uint64_t end, std::uint32_t length, Picoseconds now);
    void send_again(std::uint32_t i, Picoseconds now);
    void lose(std::uint32_t i);

    // Arrivals. What came back sooner than `least_round_trip` after it was sent again had been sent before.
    void acknowledge(Picoseconds now, std::uint64_t position, Picoseconds least_round_trip, Delivery& delivery);
    void sack(Picoseconds now, std::uint64_t begin, std::uint64_t end, Picoseconds least_round_trip,
              Delivery& delivery);

    // The first segment that is lost and was not sent again since; size() where there is none.
    std::uint32_t next_lost() const;

    // Loses what was sent before last_arrived() and should have come. Returns when to look again, for segments that
    // have `patience` left; kNever where there is none.
    Picoseconds lose_by_time(Picoseconds now, Picoseconds patience);
    // Loses what `duplicates` segments have overtaken (RFC 6675).
    void lose_overtaken(std::uint32_t duplicates);

    // For the next connection, when all has arrived.
    void forget() { last_arrived_ = {}; }

private:
    void arrived(Picoseconds now, const Segment& segment, Picoseconds least_round_trip, Delivery& delivery);

    Ring<Segment> segments_;
    std::uint32_t sacked_ = 0, lost_ = 0, again_ = 0;
    LastArrived last_arrived_;
};

}  // namespace clearway::simulator
