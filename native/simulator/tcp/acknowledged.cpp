// What the sender makes of an acknowledgement: tcp_ack of net/ipv4/tcp_input.c.
#include <algorithm>
#include <cmath>

#include "simulator/tcp/congestion.hpp"
#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

namespace {

constexpr std::uint64_t kMostRoundTrip_ns = 0xFFFFFFFF;

}  // namespace

void Tcp::take_acknowledgement(Picoseconds now, std::uint32_t id, const Packet& packet) {
    Endpoint& endpoint = endpoints_[id];
    Busy& busy = wake_up(endpoint);
    const std::uint64_t position = widen(endpoint.una, packet.acknowledged);
    if (position < endpoint.una || position > nxt(endpoint, busy)) return;
    const auto progress = static_cast<std::uint32_t>(position - endpoint.una);
    const std::uint32_t offered_bytes = progress + packet.window * kWindowUnit;
    if (offered_bytes > learnt_of(endpoint).window_bytes) learnt_by(endpoint).window_bytes = offered_bytes;
    const bool has_progress = progress > 0;
    if (!has_progress && !packet.has_sack()) return;
    const std::uint32_t before = busy.flight.in_flight();
    const Delivery delivery = note_arrivals(now, endpoint, busy, packet, position);
    if (!has_progress && delivery.segments == 0) return;
    if (has_progress) {
        endpoint.una = position & kMostPosition;
        for (std::uint32_t* const distance :
             {&learnt_by(endpoint).window_bytes, &busy.flying_bytes, &busy.written_bytes})
            *distance -= progress;
        endpoint.backoff = 0;
    }
    measure(now, endpoint, busy, delivery, position - progress);
    const bool is_over = endpoint.state != SendState::open && position >= trouble_of(endpoint).point;
    if (is_over) {
        end_recovery(endpoint);
    } else {
        look_for_losses(now, endpoint, busy);
    }
    if (endpoint.state == SendState::recovery) {
        pace_recovery(endpoint, busy.flight, delivery.segments, has_progress);
    } else if (has_progress && !is_over) {
        settings_.counts_acks ? grow_window_by_one(now, endpoint, before)
                              : grow_window(now, endpoint, busy.flight, delivery.segments);
    }
    if (has_progress && endpoint.alarm != Alarm::reordering) set_resend_alarm(now, endpoint, busy, true);
    const bool is_marked = packet.echoes_congestion != 0;
    if (settings_.congestion == Congestion::dctcp)
        trouble_of(endpoint).dctcp().count(delivery.segments, is_marked, endpoint.una, nxt(endpoint, busy));
    if (settings_.has_ecn && is_marked) heed_echo(endpoint, busy);
    if (busy.flight.empty()) busy.flight.forget();
}

Delivery Tcp::note_arrivals(Picoseconds now, const Endpoint& endpoint, Busy& busy, const Packet& packet,
                            std::uint64_t position) const {
    Delivery delivery;
    Flight& flight = busy.flight;
    const Picoseconds least = from_ns(learnt_of(endpoint).least_rtt_ns);
    flight.acknowledge(now, static_cast<std::uint32_t>(position), least, delivery);
    if (!packet.has_sack()) return delivery;
    const std::uint64_t end = widen(position, packet.sack_end);
    const std::uint64_t begin = std::max(position, widen(position, packet.sack_begin));
    if (begin < end && end <= nxt(endpoint, busy))
        flight.sack(now, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), least, delivery);
    return delivery;
}

// tcp_ack_update_rtt: the RTT is the oldest segment's, the least RTT the newest one's.
void Tcp::measure(Picoseconds now, Endpoint& endpoint, const Busy& busy, const Delivery& delivery,
                  std::uint64_t una_before) {
    const bool has_hystart = settings_.congestion == Congestion::cubic && settings_.has_hystart;
    const bool is_measured = delivery.first_sent_at != kNever;
    Learnt& learnt = learnt_by(endpoint);
    const bool is_starting = learnt.window < learnt.threshold;
    if (has_hystart && !(is_measured && is_starting)) note_round(learnt, una_before);
    if (!is_measured) return;
    measured_round_trip(learnt, now - delivery.first_sent_at);
    const auto newest_ns = static_cast<std::uint32_t>(std::min(to_ns(now - delivery.last_sent_at), kMostRoundTrip_ns));
    learnt.least_rtt_ns = std::min(learnt.least_rtt_ns, newest_ns);
    if (has_hystart && is_starting && slow_start_ends(now, endpoint, busy, una_before, delivery.segments, newest_ns))
        learnt.threshold = learnt.window;
}

void Tcp::grow_window(Picoseconds now, Endpoint& endpoint, const Flight& flight, std::uint32_t acked) {
    Learnt& learnt = learnt_by(endpoint);
    const bool is_starting = learnt.window < learnt.threshold;
    const std::uint32_t most = flight.most();
    const bool is_used = endpoint.was_window_limited || (is_starting && learnt.window < 2 * static_cast<float>(most));
    if (!is_used || acked == 0) return;
    auto segments = static_cast<float>(acked);
    if (is_starting) {
        const float step = std::min(segments, learnt.threshold - learnt.window);
        learnt.window += step;
        segments -= step;
    }
    if (segments > 0)
        learnt.window += static_cast<float>(
            control_of(settings_.congestion).growth(learnt, trouble_or_none(endpoint), segments, now));
}

// tcp_cong_avoid of Linux 2.6: `before`, so many segments were in flight.
void Tcp::grow_window_by_one(Picoseconds now, Endpoint& endpoint, std::uint32_t before) {
    Learnt& learnt = learnt_by(endpoint);
    if (static_cast<float>(before) < std::floor(learnt.window)) return;
    learnt.window +=
        learnt.window < learnt.threshold
            ? 1
            : static_cast<float>(control_of(settings_.congestion).growth(learnt, trouble_or_none(endpoint), 1, now));
}

// RFC 3168: as after a loss, once a window, with nothing to send again.
void Tcp::heed_echo(Endpoint& endpoint, const Busy& busy) {
    if (endpoint.state != SendState::open) return;
    Trouble& trouble = trouble_of(endpoint);
    if (endpoint.una < trouble.point) return;
    Learnt& learnt = learnt_by(endpoint);
    learnt.threshold = learnt.window = control_of(settings_.congestion).after_mark(learnt, trouble);
    trouble.point = nxt(endpoint, busy);
}

}  // namespace clearway::simulator
