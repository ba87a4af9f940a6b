// What the sender makes of an acknowledgement: tcp_ack of net/ipv4/tcp_input.c.
#include <algorithm>

#include "simulator/tcp/congestion.hpp"
#include "simulator/tcp/round_trip.hpp"
#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

namespace {

constexpr std::uint64_t kMostRoundTrip_ns = 0xFFFFFFFF;

}  // namespace

void Tcp::take_acknowledgement(Picoseconds now, std::uint32_t id, const Packet& packet) {
    Endpoint& endpoint = endpoints_[id];
    const std::uint64_t position = widen(endpoint.una, packet.acknowledged);
    if (position < endpoint.una || position > endpoint.nxt) return;
    endpoint.window_end = std::max(endpoint.window_end, position + std::uint64_t{packet.window} * kWindowUnit);
    const bool has_progress = position > endpoint.una;
    if (!has_progress && !packet.has_sack()) return;
    const Delivery delivery = note_arrivals(now, endpoint, packet, position);
    if (!has_progress && delivery.segments == 0) return;
    endpoint.una = position;
    if (has_progress) endpoint.backoff = 0;
    measure(now, endpoint, delivery);
    const bool is_over = endpoint.state != SendState::open && position >= trouble_of(endpoint).point;
    if (is_over) {
        end_recovery(endpoint);
    } else {
        look_for_losses(now, endpoint);
    }
    if (endpoint.state == SendState::recovery) {
        pace_recovery(endpoint, delivery.segments, has_progress);
    } else if (has_progress && !is_over) {
        grow_window(now, endpoint, delivery.segments);
    }
    if (has_progress && endpoint.alarm != Alarm::reordering) set_resend_alarm(now, endpoint, true);
    const bool is_marked = packet.echoes_congestion != 0;
    if (settings_.congestion == Congestion::dctcp)
        trouble_of(endpoint).dctcp.count(delivery.segments, is_marked, endpoint.una, endpoint.nxt);
    if (settings_.has_ecn && is_marked) heed_echo(endpoint);
    give_flight_back(endpoint);
}

Delivery Tcp::note_arrivals(Picoseconds now, Endpoint& endpoint, const Packet& packet, std::uint64_t position) {
    Delivery delivery;
    if (endpoint.flight == kNone) return delivery;
    Flight& flight = flights_[endpoint.flight];
    const Picoseconds least = from_ns(endpoint.least_rtt_ns);
    flight.acknowledge(now, static_cast<std::uint32_t>(position), least, delivery);
    if (!packet.has_sack()) return delivery;
    const std::uint64_t end = widen(position, packet.sack_end);
    const std::uint64_t begin = std::max(position, widen(position, packet.sack_begin));
    if (begin < end && end <= endpoint.nxt)
        flight.sack(now, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), least, delivery);
    return delivery;
}

// tcp_ack_update_rtt: the RTT is the oldest segment's, the least RTT the newest one's.
void Tcp::measure(Picoseconds now, Endpoint& endpoint, const Delivery& delivery) const {
    if (delivery.first_sent_at == kNever) return;
    measured_round_trip(endpoint, now - delivery.first_sent_at);
    const auto newest_ns = static_cast<std::uint32_t>(std::min(to_ns(now - delivery.last_sent_at), kMostRoundTrip_ns));
    endpoint.least_rtt_ns = std::min(endpoint.least_rtt_ns, newest_ns);
    const bool is_starting = endpoint.window < endpoint.threshold;
    if (settings_.congestion == Congestion::cubic && settings_.has_hystart && is_starting &&
        endpoint.hystart.ends(now, endpoint.una, endpoint.nxt, endpoint.window, newest_ns))
        endpoint.threshold = endpoint.window;
}

void Tcp::grow_window(Picoseconds now, Endpoint& endpoint, std::uint32_t acked) {
    const bool is_starting = endpoint.window < endpoint.threshold;
    const std::uint32_t most = flight_of(endpoint).most();
    const bool is_used = endpoint.was_window_limited || (is_starting && endpoint.window < 2 * static_cast<float>(most));
    if (!is_used || acked == 0) return;
    auto segments = static_cast<float>(acked);
    if (is_starting) {
        const float step = std::min(segments, endpoint.threshold - endpoint.window);
        endpoint.window += step;
        segments -= step;
    }
    if (segments > 0)
        endpoint.window += static_cast<float>(
            control_of(settings_.congestion).growth(endpoint, trouble_or_none(endpoint), segments, now));
}

// RFC 3168: as after a loss, once a window, with nothing to send again.
void Tcp::heed_echo(Endpoint& endpoint) {
    if (endpoint.state != SendState::open) return;
    Trouble& trouble = trouble_of(endpoint);
    if (endpoint.una < trouble.point) return;
    endpoint.threshold = control_of(settings_.congestion).after_mark(endpoint, trouble);
    endpoint.window = endpoint.threshold;
    trouble.point = endpoint.nxt;
}

}  // namespace clearway::simulator
