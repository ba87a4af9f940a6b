#include "simulator/tcp/flight.hpp"

#include <algorithm>

namespace clearway::simulator {

namespace {

bool is_after(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) > 0; }

}  // namespace

void Flight::send(std::uint32_t end, std::uint32_t length, Picoseconds now) {
    segments_.push({.sent_at = now, .end = end, .length = static_cast<std::uint16_t>(length)});
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
    const bool is_last =
        segment.sent_at != last_sent_at_ ? segment.sent_at > last_sent_at_ : is_after(segment.end, last_end_);
    if (!is_last) return;
    last_sent_at_ = segment.sent_at;
    last_end_ = segment.end;
    last_round_trip_ = round_trip;
}

void Flight::acknowledge(Picoseconds now, std::uint32_t position, Picoseconds least_round_trip, Delivery& delivery) {
    const std::uint32_t before = size();
    while (!segments_.empty() && !is_after(segments_.front().end, position)) {
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
    const std::uint32_t gone = before - size();
    most_left_ -= std::min(most_left_, gone);
    probed_left_ -= std::min(probed_left_, gone);
}

void Flight::sack(Picoseconds now, std::uint32_t begin, std::uint32_t end, Picoseconds least_round_trip,
                  Delivery& delivery) {
    for (std::uint32_t i = size(); i-- > 0 && is_after(segments_[i].end, begin);) {
        Segment& segment = segments_[i];
        if (segment.is_sacked || is_after(segment.end, end)) continue;
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

bool Flight::is_before_last_arrived(const Segment& segment) const {
    return segment.sent_at != last_sent_at_ ? segment.sent_at < last_sent_at_ : is_after(last_end_, segment.end);
}

Picoseconds Flight::lose_by_time(Picoseconds now, Picoseconds patience) {
    Picoseconds wait = 0;
    for (std::uint32_t i = 0; i < size(); ++i) {
        const Segment& segment = segments_[i];
        if (segment.is_sacked || (segment.is_lost && !segment.is_sent_again)) continue;
        if (!is_before_last_arrived(segment)) continue;
        const Picoseconds left = segment.sent_at + last_round_trip_ + patience - now;
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
