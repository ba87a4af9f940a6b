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

Flight::Flight(Flight&& other) noexcept
    : first_(other.first_),
      most_(other.most_),
      use_(other.use_),
      most_left_(other.most_left_),
      probed_here_(other.probed_here_) {
    if (has_more()) {
        more_ = other.more_;
        other.use_ = Use::none;
    } else if (use_ == Use::last) {
        last_ = other.last_;
    } else {
        second_ = other.second_;
    }
}

Flight::More& Flight::make_more() {
    auto more = std::make_unique<More>();
    if (use_ == Use::second) {
        more->others.push(second_.segment);
        more->last.round_trip = second_.last_round_trip;
    }
    if (use_ == Use::last) more->last = last_;
    more->again = again_here();
    more->lost = lost_here();
    more->probed_left = probed_here_;
    probed_here_ = 0;
    more_ = more.release();
    use_ = Use::more;
    return *more_;
}

void Flight::send(std::uint32_t end, std::uint32_t length, Picoseconds now) {
    const Segment segment{.sent_at = now, .end = end, .length = static_cast<std::uint16_t>(length)};
    if (empty()) {
        first_ = segment;
    } else if (!has_more() && (use_ == Use::none || (use_ == Use::last && last_.sent_at < first_.sent_at))) {
        second_ = {segment, last_round_trip()};
        use_ = Use::second;
    } else {
        more().others.push(segment);
    }
}

void Flight::set_fate(const Fate& fate) {
    first_.is_lost = fate.is_lost;
    first_.is_sent_again = fate.is_sent_again;
    first_.was_sent_again = fate.was_sent_again;
    if (has_more()) {
        more_->lost = lost_here();
        more_->again = again_here();
    }
    if (fate.is_probed) note_probe();
}

void Flight::pop() {
    if (!has_more() || more_->others.empty()) {
        first_ = {};
    } else {
        first_ = more_->others.front();
        more_->others.pop();
    }
}

void Flight::send_again(std::uint32_t i, Picoseconds now) {
    Segment& segment = at(i);
    if (has_more() && !segment.is_sent_again) ++more_->again;
    segment.is_sent_again = segment.was_sent_again = true;
    segment.sent_at = now;
}

// What was sent again may be lost once more.
void Flight::lose(std::uint32_t i) {
    if (use_ == Use::second) make_more();  // before anything refers to it
    Segment& segment = at(i);
    if (segment.is_sacked) return;
    if (has_more() && segment.is_sent_again) --more_->again;
    if (has_more() && !segment.is_lost) ++more_->lost;
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
    if (!has_more() && use_ != Use::last) return;
    Arrived& last = has_more() ? more_->last : last_;
    if (last.is_before(segment)) last = {.sent_at = segment.sent_at, .round_trip = round_trip, .end = segment.end};
}

void Flight::acknowledge(Picoseconds now, std::uint32_t position, Picoseconds least_round_trip, Delivery& delivery) {
    const std::uint32_t before = size();
    while (!empty() && !is_after(first_.end, position)) {
        if (use_ == Use::second) {  // the first of two: its place is the second's from now on, whose is free
            const Segment first = std::exchange(first_, second_.segment);
            last_ = {.sent_at = 0, .round_trip = second_.last_round_trip, .end = 0};
            use_ = Use::last;
            arrived(now, first, least_round_trip, delivery);
            continue;
        }
        if (first_.is_sacked) {
            --more().sacked;
        } else {
            arrived(now, first_, least_round_trip, delivery);
            if (first_.is_lost && has_more()) --more_->lost;
            if (first_.is_sent_again && has_more()) --more_->again;
        }
        pop();
    }
    const std::uint32_t gone = before - size();
    most_left_ -= std::min(most_left_, gone);
    if (has_more()) {
        more_->probed_left -= std::min(more_->probed_left, gone);
    } else {
        probed_here_ -= std::min(probed_here_ + 0U, gone) & 3U;
    }
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
    const Arrived last = has_more() ? more_->last : last_;
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

void Flight::lose_overtaken(std::uint32_t duplicates, bool counts_all_before_last) {
    std::uint32_t overtook = 0;
    for (std::uint32_t i = size(); i-- > 0;) {
        const bool is_sacked = (*this)[i].is_sacked;
        if (!is_sacked && overtook >= duplicates && !(*this)[i].is_lost) lose(i);
        if (is_sacked || (counts_all_before_last && overtook > 0)) ++overtook;
    }
}

}  // namespace clearway::simulator
