#include "simulator/tcp/flight.hpp"

#include <algorithm>
#include <tuple>

namespace clearway::simulator {

void Flight::send(std::uint64_t end, std::uint32_t length, Picoseconds now) {
    segments_.push({.end = end, .sent_at = now, .length = static_cast<std::uint16_t>(length)});
}

void Flight::send_again(std::uint32_t i, Picoseconds now) {
    Segment& segment = segments_[i];
    if (!segment.is_sent_again) ++again_;
    segment.is_sent_again = segment.was_sent_again = true;
    segment.sent_at = now;
}

// What was sent again may be lost once more.
void Flight::lose(std::uint32_t i) {
    Segment& segment = segments_[i];
    if (segment.is_sacked) return;
    if (segment.is_sent_again) --again_;
    if (!segment.is_lost) ++lost_;
    segment.is_lost = true;
    segment.is_sent_again = false;
}

void Flight::arrived(Picoseconds now, const Segment& segment, Picoseconds least_round_trip, Delivery& delivery) {
    ++delivery.segments;
    const Picoseconds round_trip = now - segment.sent_at;
    if (!segment.was_sent_again) {
        if (delivery.first_sent_at == kNever) delivery.first_sent_at = segment.sent_at;
        delivery.last_sent_at = segment.sent_at;
    } else if (round_trip < least_round_trip) {
        return;
    }
    if (std::tie(segment.sent_at, segment.end) > std::tie(last_arrived_.sent_at, last_arrived_.end))
        last_arrived_ = {segment.sent_at, segment.end, round_trip};
}

void Flight::acknowledge(Picoseconds now, std::uint64_t position, Picoseconds least_round_trip, Delivery& delivery) {
    while (!segments_.empty() && segments_.front().end <= position) {
        const Segment& segment = segments_.front();
        if (segment.is_sacked) {
            --sacked_;
        } else {
            arrived(now, segment, least_round_trip, delivery);
            if (segment.is_lost) --lost_;
            if (segment.is_sent_again) --again_;
        }
        segments_.pop();
    }
}

void Flight::sack(Picoseconds now, std::uint64_t begin, std::uint64_t end, Picoseconds least_round_trip,
                  Delivery& delivery) {
    for (std::uint32_t i = size(); i-- > 0 && segments_[i].end > begin;) {
        Segment& segment = segments_[i];
        if (segment.is_sacked || segment.end > end) continue;
        arrived(now, segment, least_round_trip, delivery);
        if (segment.is_lost) --lost_;
        if (segment.is_sent_again) --again_;
        segment.is_lost = segment.is_sent_again = false;
        segment.is_sacked = true;
        ++sacked_;
    }
}

std::uint32_t Flight::next_lost() const {
    if (lost_ <= again_) return size();
    std::uint32_t i = 0;
    while (i < size() && (!segments_[i].is_lost || segments_[i].is_sent_again)) ++i;
    return i;
}

Picoseconds Flight::lose_by_time(Picoseconds now, Picoseconds patience) {
    Picoseconds wait = 0;
    for (std::uint32_t i = 0; i < size(); ++i) {
        const Segment& segment = segments_[i];
        if (segment.is_sacked || (segment.is_lost && !segment.is_sent_again)) continue;
        if (std::tie(segment.sent_at, segment.end) >= std::tie(last_arrived_.sent_at, last_arrived_.end)) continue;
        const Picoseconds left = segment.sent_at + last_arrived_.round_trip + patience - now;
        if (left <= 0) {
            lose(i);
        } else {
            wait = std::max(wait, left);
        }
    }
    return wait == 0 ? kNever : now + wait;
}

void Flight::lose_overtaken(std::uint32_t duplicates) {
    std::uint32_t overtook = 0;
    for (std::uint32_t i = size(); i-- > 0;) {
        if (segments_[i].is_sacked) {
            ++overtook;
        } else if (overtook >= duplicates && !segments_[i].is_lost) {
            lose(i);
        }
    }
}

}  // namespace clearway::simulator
