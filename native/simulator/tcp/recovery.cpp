// Losses: RFC 6675 (SACK), RFC 6937 (proportional rate reduction), RFC 8985 (RACK), RFC 5681 (after a timeout).
#include <algorithm>

#include "simulator/tcp/congestion.hpp"
#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

namespace {

constexpr std::uint32_t kDuplicates = 3;  // RFC 5681: so many mean a loss

}  // namespace

// tcp_identify_packet_loss. The network delivers in order, so RACK's reordering window never adapts.
void Tcp::look_for_losses(Picoseconds now, Endpoint& endpoint, Busy& busy) {
    Flight& flight = busy.flight;
    if (!settings_.probes_tails) {
        flight.lose_overtaken(kDuplicates, settings_.forward_acks);
    } else {
        const bool is_certain = endpoint.state != SendState::open || flight.sacked() >= kDuplicates;
        const Learnt& learnt = learnt_of(endpoint);
        const std::uint32_t patience_ns = is_certain ? 0 : std::min(learnt.least_rtt_ns / 4, learnt.srtt_ns / 8);
        const Picoseconds look_again_at = flight.lose_by_time(now, from_ns(patience_ns));
        if (look_again_at != kNever) {
            busy.resend_at = now + whole_ticks(look_again_at - now + least_wait());
            endpoint.alarm = Alarm::reordering;
        } else if (endpoint.alarm == Alarm::reordering) {
            set_resend_alarm(now, endpoint, busy, true);
        }
    }
    if (endpoint.state == SendState::open && flight.lost() > 0) start_recovery(now, endpoint, busy);
}

void Tcp::start_recovery(Picoseconds now, Endpoint& endpoint, Busy& busy) {
    Trouble& trouble = trouble_of(endpoint);
    Learnt& learnt = learnt_by(endpoint);
    ++counts_.recoveries;
    trouble.window_before = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(learnt.window));
    learnt.threshold = control_of(settings_.congestion).after_loss(learnt, trouble);
    endpoint.state = SendState::recovery;
    trouble.point = nxt(endpoint, busy);
    trouble.delivered = trouble.sent = 0;
    if (endpoint.alarm != Alarm::reordering) set_resend_alarm(now, endpoint, busy, true);
}

// tcp_cwnd_reduction: sends in proportion to what arrives, so that the window reaches the threshold in the end.
void Tcp::pace_recovery(Endpoint& endpoint, const Flight& segments, std::uint32_t delivered, bool has_progress) {
    Trouble& trouble = trouble_of(endpoint);
    Learnt& learnt = learnt_by(endpoint);
    const auto threshold = static_cast<std::uint32_t>(learnt.threshold);
    const std::uint32_t flight = segments.in_flight();
    trouble.delivered += delivered;
    std::uint32_t quota = 0;
    if (flight > threshold) {
        const std::uint64_t due =
            (std::uint64_t{threshold} * trouble.delivered + trouble.window_before - 1) / trouble.window_before;
        quota = due > trouble.sent ? static_cast<std::uint32_t>(due) - trouble.sent : 0;
    } else {
        const std::uint32_t owed = trouble.delivered > trouble.sent ? trouble.delivered - trouble.sent : 0;
        quota = std::min(threshold - flight, std::max(owed, delivered) + (has_progress ? 1 : 0));
    }
    if (trouble.sent == 0) quota = std::max(quota, 1U);
    learnt.window = static_cast<float>(flight + quota);
}

void Tcp::end_recovery(Endpoint& endpoint) {
    if (endpoint.state == SendState::recovery) learnt_by(endpoint).window = learnt_of(endpoint).threshold;
    endpoint.state = SendState::open;
}

// tcp_enter_loss, and what tcp_retransmit_timer adds.
void Tcp::start_loss(Picoseconds now, Endpoint& endpoint, Busy& busy) {
    Trouble& trouble = trouble_of(endpoint);
    Learnt& learnt = learnt_by(endpoint);
    ++counts_.timeouts;
    // Once a window: neither a recovery that failed nor a second timeout in a row lowers the threshold again.
    const bool is_first = endpoint.state == SendState::open || endpoint.una >= trouble.point ||
                          (endpoint.state == SendState::loss && endpoint.backoff == 0);
    if (is_first) learnt.threshold = control_of(settings_.congestion).after_loss(learnt, trouble);
    if (has_hystart(learnt)) hystarts_[learnt.hystart].has_ended = false;
    endpoint.state = SendState::loss;
    trouble.point = nxt(endpoint, busy);
    Flight& flight = busy.flight;
    for (std::uint32_t i = 0; i < flight.size(); ++i) {
        // RACK leaves alone what was sent a moment ago.
        const bool is_recent = settings_.probes_tails && i > 0 && flight[i].sent_at + flight.last_round_trip() > now;
        if (!is_recent) flight.lose(i);
    }
    learnt.window = static_cast<float>(flight.in_flight() + 1);
    if (endpoint.backoff < kMostBackoff) ++endpoint.backoff;
}

}  // namespace clearway::simulator
