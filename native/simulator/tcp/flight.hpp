// What was sent and is not acknowledged, segment by segment: the queue of net/ipv4/tcp_output.c's retransmissions, and
// its counts, which tcp_packets_in_flight() is made of. A segment is sent again as it was sent first. Positions are
// their low bits here, as TCP's sequence numbers are: what is in flight is never further apart.
#pragma once

#include <cstdint>

#include "simulator/events/time.hpp"
#include "simulator/tcp/segments.hpp"

namespace clearway::simulator {

// What a packet told of: segments that had not been known to have arrived.
struct Delivery {
    std::uint32_t segments = 0;
    Picoseconds first_sent_at = kNever;  // of those that were sent once, the first and the last
    Picoseconds last_sent_at = kNever;
};

class Flight {
public:
    bool empty() const { return segments_.empty(); }
    std::uint32_t size() const { return static_cast<std::uint32_t>(segments_.size()); }
    const Segment& operator[](std::uint32_t i) const { return segments_[i]; }

    std::uint32_t sacked() const { return sacked_; }
    std::uint32_t lost() const { return lost_; }
    std::uint32_t in_flight() const { return size() - sacked_ - lost_ + again_; }
    Picoseconds last_round_trip() const { return last_round_trip_; }

    // tcp_cwnd_validate: how much was in flight at once; until all of that is acknowledged.
    std::uint32_t most() const { return most_; }
    bool is_most_under_way() const { return most_left_ > 0; }
    void note_most() { most_ = most_left_ = size(); }

    // The tail was probed, and once is enough until all that was in flight then is acknowledged.
    bool is_probed() const { return probed_left_ > 0; }
    void note_probe() { probed_left_ = size(); }

    void send(std::uint32_t end, std::uint32_t length, Picoseconds now);
    void send_again(std::uint32_t i, Picoseconds now);
    void lose(std::uint32_t i);

    // Arrivals. What came back sooner than `least_round_trip` after it was sent again had been sent before.
    void acknowledge(Picoseconds now, std::uint32_t position, Picoseconds least_round_trip, Delivery& delivery);
    void sack(Picoseconds now, std::uint32_t begin, std::uint32_t end, Picoseconds least_round_trip,
              Delivery& delivery);

    // The first segment that is lost and was not sent again since; size() where there is none.
    std::uint32_t next_lost() const;

    // RACK (RFC 8985): loses what was sent before the last of those that have arrived, and should have come. Returns
    // when to look again, for segments that have `patience` left; kNever where there is none.
    Picoseconds lose_by_time(Picoseconds now, Picoseconds patience);
    // Loses what `duplicates` segments have overtaken (RFC 6675).
    void lose_overtaken(std::uint32_t duplicates);

    // For the next connection, when all has arrived.
    void forget() {
        last_sent_at_ = last_round_trip_ = 0;
        last_end_ = most_ = 0;
    }

private:
    void arrived(Picoseconds now, const Segment& segment, Picoseconds least_round_trip, Delivery& delivery);

    bool is_before_last_arrived(const Segment& segment) const;

    Segments segments_;
    // Of all segments that have arrived, the one that was sent last.
    Picoseconds last_sent_at_ = 0, last_round_trip_ = 0;
    std::uint32_t last_end_ = 0;
    std::uint32_t sacked_ = 0, lost_ = 0, again_ = 0;
    std::uint32_t most_ = 0, most_left_ = 0, probed_left_ = 0;
};

}  // namespace clearway::simulator
