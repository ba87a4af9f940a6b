// What was sent and is not acknowledged, segment by segment: the queue of net/ipv4/tcp_output.c's retransmissions, and
// its counts, which tcp_packets_in_flight() is made of. A segment is sent again as it was sent first. Positions are
// their low bits here, as TCP's sequence numbers are: what is in flight is never further apart.
#pragma once

#include <cstdint>
#include <memory>

#include "simulator/events/time.hpp"
#include "simulator/network/ring.hpp"
#include "simulator/tcp/segment.hpp"

namespace clearway::simulator {

// What a packet told of: segments that had not been known to have arrived.
struct Delivery {
    std::uint32_t segments = 0;
    Picoseconds first_sent_at = kNever;  // of those that were sent once, the first and the last
    Picoseconds last_sent_at = kNever;
};

// Of all segments that have arrived, the one that was sent last.
struct Arrived {
    Picoseconds sent_at, round_trip;
    std::uint32_t end;

    bool is_before(const Segment& segment) const;
    bool is_after(const Segment& segment) const;
};

// What became of a segment that is alone in flight.
struct Fate {
    bool is_lost = false, is_sent_again = false, was_sent_again = false;  // as in Segment
    bool is_probed = false;

    bool operator==(const Fate&) const = default;
};

// Most have one segment at most, which is acknowledged before another is sent, and many two, the first of which is
// acknowledged while the second is in flight: that needs no memory elsewhere, nor does a probe of the second, nor the
// loss of one that is alone.
class Flight {
public:
    Flight() = default;
    Flight(Flight&& other) noexcept;
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;
    Flight& operator=(Flight&&) = delete;
    ~Flight() {
        if (has_more()) delete more_;
    }

    bool empty() const { return first_.length == 0; }
    std::uint32_t size() const {
        if (empty()) return 0;
        if (!has_more()) return use_ == Use::second ? 2 : 1;
        return 1 + static_cast<std::uint32_t>(more_->others.size());
    }
    const Segment& operator[](std::uint32_t i) const {
        if (i == 0) return first_;
        return has_more() ? more_->others[i - 1] : second_.segment;
    }

    std::uint32_t sacked() const { return has_more() ? more_->sacked : 0; }
    std::uint32_t lost() const { return has_more() ? more_->lost : lost_here(); }
    std::uint32_t in_flight() const {
        return has_more() ? size() - more_->sacked - more_->lost + more_->again : size() - lost_here() + again_here();
    }
    Picoseconds last_round_trip() const {
        if (has_more()) return more_->last.round_trip;
        if (use_ == Use::last) return last_.round_trip;
        return use_ == Use::second ? second_.last_round_trip : 0;
    }

    // tcp_cwnd_validate: how much was in flight at once; until all of that is acknowledged.
    std::uint32_t most() const { return most_; }
    bool is_most_under_way() const { return most_left_ > 0; }
    void note_most() {
        most_left_ = size() & kMost;
        most_ = most_left_;
    }

    // The tail was probed, and once is enough until all that was in flight then is acknowledged.
    bool is_probed() const { return has_more() ? more_->probed_left > 0 : probed_here_ > 0; }
    void note_probe() {
        if (has_more()) {
            more_->probed_left = size();
        } else {
            probed_here_ = size() & 3U;
        }
    }

    void send(std::uint32_t end, std::uint32_t length, Picoseconds now);
    // Whether this is what `send` and `note_most` make of a flight that was empty, but for what became of the segment
    // since. After `clear`, they and `set_fate` make the same of it again.
    bool has_only(Picoseconds sent_at, std::uint32_t end, std::uint32_t length) const {
        const bool is_it = first_.sent_at == sent_at && first_.end == end && first_.length == length;
        const bool is_alone = use_ == Use::none || (has_more() && more_->is_of_one());
        return is_it && is_alone && !first_.is_sacked && most_ == 1 && most_left_ == 1;
    }
    Fate fate() const { return {first_.is_lost, first_.is_sent_again, first_.was_sent_again, is_probed()}; }
    void set_fate(const Fate& fate);
    void clear() {
        first_ = {};
        most_ = most_left_ = probed_here_ = 0;
        if (has_more()) more_->lost = more_->again = more_->probed_left = 0;
    }
    void send_again(std::uint32_t i, Picoseconds now);
    void lose(std::uint32_t i);

    // Arrivals. What came back sooner than `least_round_trip` after it was sent again had been sent before.
    void acknowledge(Picoseconds now, std::uint32_t position, Picoseconds least_round_trip, Delivery& delivery);
    void sack(Picoseconds now, std::uint32_t begin, std::uint32_t end, Picoseconds least_round_trip,
              Delivery& delivery);

    // A segment that is lost and was not sent again since, and the first of them; size() where there is none.
    bool has_lost() const { return has_more() ? more_->lost > more_->again : lost_here() > again_here(); }
    std::uint32_t next_lost() const;

    // RACK (RFC 8985): loses what was sent before the last of those that have arrived, and should have come. Returns
    // when to look again, for segments that have `patience` left; kNever where there is none.
    Picoseconds lose_by_time(Picoseconds now, Picoseconds patience) {
        const bool has_arrivals = has_more() || use_ == Use::last;  // of what was sent with what is in flight
        return has_arrivals && !empty() ? lose_before_last(now, patience) : kNever;
    }
    // Loses what `duplicates` segments have overtaken (RFC 6675); with FACK, what is so many before the last that has
    // arrived.
    void lose_overtaken(std::uint32_t duplicates, bool counts_all_before_last = false);

    // When all has arrived: what is sent next begins anew.
    void forget() {
        most_ = 0;
        if (has_more()) {
            more_->last = {};
        } else {
            use_ = Use::none;
        }
    }

private:
    struct More {
        Ring<Segment> others;
        Arrived last{};
        std::uint32_t sacked = 0, lost = 0, again = 0;
        std::uint32_t probed_left = 0;

        // Then `lost`, `again` and `probed_left` follow from what became of it.
        bool is_of_one() const {
            return others.empty() && (last.sent_at | last.round_trip) == 0 && (last.end | sacked) == 0;
        }
    };
    // A second segment, and what is left of the last to arrive: that it was sent before both needs no instant. Whatever
    // is lost or was told of out of turn needs More.
    struct Second {
        Segment segment;
        Picoseconds last_round_trip = 0;
    };
    // Which of them there is. Once there is More, it stays.
    enum class Use : std::uint8_t { none, second, last, more };
    static constexpr std::uint32_t kMost = (1U << 30) - 1;

    Picoseconds lose_before_last(Picoseconds now, Picoseconds patience);
    bool has_more() const { return use_ == Use::more; }
    // Of those that are kept here, how many were sent again.
    std::uint32_t again_here() const {
        return (first_.is_sent_again ? 1U : 0U) + (use_ == Use::second && second_.segment.is_sent_again ? 1U : 0U);
    }
    std::uint32_t lost_here() const { return first_.is_lost ? 1 : 0; }  // of those; the second is lost with More
    More& more() { return has_more() ? *more_ : make_more(); }
    More& make_more();
    Segment& at(std::uint32_t i) {
        if (i == 0) return first_;
        return has_more() ? more_->others[i - 1] : second_.segment;
    }
    void pop();
    void arrived(Picoseconds now, const Segment& segment, Picoseconds least_round_trip, Delivery& delivery);

    Segment first_;  // without length: there is none
    union {
        Second second_{};
        Arrived last_;
        More* more_;
    };
    std::uint32_t most_ : 30 = 0;
    Use use_ : 2 = Use::none;
    std::uint32_t most_left_ : 30 = 0;
    std::uint32_t probed_here_ : 2 = 0;  // as probed_left, where there is no More
};
static_assert(sizeof(Flight) == 48);

}  // namespace clearway::simulator
