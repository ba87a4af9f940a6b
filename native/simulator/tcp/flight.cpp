#include "simulator/tcp/flight.hpp"

#include <algorithm>

namespace clearway::simulator {

namespace {

bool is_after(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) > 0; }

}  // namespace

void Flight::send(std::uint32_t end, std::uint32_t length, Picoseconds now) {
    const Segment segment{.sent_at = now, .end = end, .length = static_cast<std::uint16_t>(length)};
    if (empty()) {
        first_ = segment;
    } else {
        more().others.push(segment);
    }
}

void Flight::pop() {
    if (!more_ || more_->others.empty()) {
        first_ = {};
    } else {
        first_ = more_->others.front();
        more_->others.pop();
    }
}

void Flight::send_again(std::uint32_t i, Picoseconds now) {
    Segment& segment = at(i);
    if (!segment.is_sent_again) ++more().again;
    segment.is_sent_again = segment.was_sent_again = true;
    segment.sent_at = now;
}

// What was sent again may be lost once more.
void Flight::lose(std::uint32_t i) {
    Segment& segment = at(i);
    if (segment.is_sacked) return;
    if (segment.is_sent_again) --more().again;
    if (!segment.is_lost) ++more().lost;
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
    if (!more_) return;  // nothing else is in flight that could have been sent before or after it
    const bool is_last = segment.sent_at != more_->last_sent_at ? segment.sent_at > more_->last_sent_at
                                                                : is_after(segment.end, more_->last_end);
    if (!is_last) return;
    more_->last_sent_at = segment.sent_at;
    more_->last_end = segment.end;
    more_->last_round_trip = round_trip;
}

void Flight::acknowledge(Picoseconds now, std::uint32_t position, Picoseconds least_round_trip, Delivery& delivery) {
    const std::uint32_t before = size();
    while (!empty() && !is_after(first_.end, position)) {
        if (first_.is_sacked) {
            --more().sacked;
        } else {
            arrived(now, first_, least_round_trip, delivery);
            if (first_.is_lost) --more().lost;
            if (first_.is_sent_again) --more().again;
        }
        pop();
    }
    const std::uint32_t gone = before - size();
    most_left_ -= std::min(most_left_, gone);
    if (more_) more_->probed_left -= std::min(more_->probed_left, gone);
}

void Flight::sack(Picoseconds now, std::uint32_t begin, std::uint32_t end, Picoseconds least_round_trip,
                  Delivery& delivery) {
    for (std::uint32_t i = size(); i-- > 0 && is_after(at(i).end, begin);) {
        Segment& segment = at(i);
        if (segment.is_sacked || is_after(segment.end, end)) continue;
        arrived(now, segment, least_round_trip, delivery);
        if (segment.is_lost) --more().lost;
        if (segment.is_sent_again) --more().again;
        segment.is_lost = segment.is_sent_again = false;
        segment.is_sacked = true;
        ++more().sacked;
    }
}

std::uint32_t Flight::next_lost() const {
    const std::uint32_t end = size();
    if (!more_ || more_->lost <= more_->again) return end;
    std::uint32_t i = 0;
    while (i < end && (!(*this)[i].is_lost || (*this)[i].is_sent_again)) ++i;
    return i;
}

bool Flight::is_before_last_arrived(const Segment& segment) const {
    return segment.sent_at != more_->last_sent_at ? segment.sent_at < more_->last_sent_at
                                                  : is_after(more_->last_end, segment.end);
}

Picoseconds Flight::lose_by_time(Picoseconds now, Picoseconds patience) {
    if (!more_) return kNever;  // nothing has arrived that was sent with what is in flight
    Picoseconds wait = 0;
    for (std::uint32_t i = 0; i < size(); ++i) {
        const Segment& segment = (*this)[i];
        if (segment.is_sacked || (segment.is_lost && !segment.is_sent_again)) continue;
        if (!is_before_last_arrived(segment)) continue;
        const Picoseconds left = segment.sent_at + more_->last_round_trip + patience - now;
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
        if ((*this)[i].is_sacked) {
            ++overtook;
        } else if (overtook >= duplicates && !(*this)[i].is_lost) {
            lose(i);
        }
    }
}

}  // namespace clearway::simulator
