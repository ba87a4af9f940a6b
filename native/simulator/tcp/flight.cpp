#include "simulator/tcp/flight.hpp"

#include <algorithm>
#include <utility>

namespace clearway::simulator {

namespace {

bool is_after(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) > 0; }

}  // namespace

bool Arrived::is_before(const Segment& segment) const {
    return segment.sent_at != sent_at ? segment.sent_at > sent_at : simulator::is_after(segment.end, end);
}

bool Arrived::is_after(const Segment& segment) const {
    return segment.sent_at != sent_at ? segment.sent_at < sent_at : simulator::is_after(end, segment.end);
}

Flight::More& Flight::make_more() {
    more_ = std::make_unique<More>();
    if (use_ == Use::second) {
        more_->others.push(second_.segment);
        more_->last.round_trip = second_.last_round_trip;
    }
    if (use_ == Use::last) more_->last = last_;
    use_ = Use::none;
    return *more_;
}

void Flight::send(std::uint32_t end, std::uint32_t length, Picoseconds now) {
    const Segment segment{.sent_at = now, .end = end, .length = static_cast<std::uint16_t>(length)};
    if (empty()) {
        first_ = segment;
    } else if (!more_ && (use_ == Use::none || (use_ == Use::last && last_.sent_at < first_.sent_at))) {
        second_ = {segment, last_round_trip()};
        use_ = Use::second;
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
    if (use_ == Use::second) make_more();  // before anything refers to it
    Segment& segment = at(i);
    if (!segment.is_sent_again) ++more().again;
    segment.is_sent_again = segment.was_sent_again = true;
    segment.sent_at = now;
}

// What was sent again may be lost once more.
void Flight::lose(std::uint32_t i) {
    if (use_ == Use::second) make_more();
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
    // With neither, nothing else is in flight that could have been sent before or after it.
    if (!more_ && use_ != Use::last) return;
    Arrived& last = more_ ? more_->last : last_;
    if (last.is_before(segment)) last = {.sent_at = segment.sent_at, .round_trip = round_trip, .end = segment.end};
}

void Flight::acknowledge(Picoseconds now, std::uint32_t position, Picoseconds least_round_trip, Delivery& delivery) {
    const std::uint32_t before = size();
    while (!empty() && !is_after(first_.end, position)) {
        if (use_ == Use::second) {  // the first of two: its place is the second's from now on, whose is free
            const Segment first = std::exchange(first_, second_.segment);
            last_ = {};
            use_ = Use::last;
            arrived(now, first, least_round_trip, delivery);
            continue;
        }
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
    if (use_ == Use::second) make_more();
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
    if (!has_lost()) return end;
    std::uint32_t i = 0;
    while (i < end && (!(*this)[i].is_lost || (*this)[i].is_sent_again)) ++i;
    return i;
}

Picoseconds Flight::lose_before_last(Picoseconds now, Picoseconds patience) {
    const Arrived last = more_ ? more_->last : last_;
    Picoseconds wait = 0;
    for (std::uint32_t i = 0; i < size(); ++i) {
        const Segment& segment = (*this)[i];
        if (segment.is_sacked || (segment.is_lost && !segment.is_sent_again)) continue;
        if (!last.is_after(segment)) continue;
        const Picoseconds left = segment.sent_at + last.round_trip + patience - now;
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
