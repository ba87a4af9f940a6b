// What the sender makes of an acknowledgement: tcp_ack of net/ipv4/tcp_input.c.
#include <algorithm>

#include "simulator/tcp/congestion.hpp"
#include "simulator/tcp/round_trip.hpp"
#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

void Tcp::take_acknowledgement(Picoseconds now, std::uint32_t id, const Packet& packet) {
    Endpoint& endpoint = endpoints_[id];
    const std::uint64_t position = widen(endpoint.una, packet.acknowledged);
    if (position < endpoint.una || position > endpoint.nxt) return;
    endpoint.window_end = std::max(endpoint.window_end, position + std::uint64_t{packet.window} * kWindowUnit);
    const std::uint64_t newly_sacked = packet.has_sack() ? note_sacked(endpoint, packet) : 0;
    const std::uint64_t acked = position - endpoint.una;
    if (acked == 0 && newly_sacked == 0) return;
    if (endpoint.timed_end != 0 && endpoint.timed_end <= position) {
        measured_round_trip(endpoint, now - endpoint.timed_at);
        endpoint.timed_end = 0;
    }
    endpoint.una = position;
    if (acked > 0) endpoint.backoff = 0;
    Trouble* trouble = trouble_or_none(endpoint);
    const std::uint64_t known = trouble == nullptr ? 0 : trouble->sacked.drop_below(position);
    const bool is_over = trouble != nullptr && endpoint.una >= trouble->point;
    switch (endpoint.state) {
        case SendState::open:
            grow_window(now, endpoint, acked);
            break;
        case SendState::recovery:
            if (is_over) {
                end_recovery(endpoint);
            } else {
                mark_lost(endpoint);
                pace_recovery(endpoint, acked + newly_sacked - known, false);
            }
            break;
        case SendState::loss:
            grow_window(now, endpoint, acked);
            if (is_over) end_recovery(endpoint);
            break;
    }
    if (acked > 0) {
        if (trouble != nullptr) trouble->duplicates = 0;
        set_resend_alarm(now, endpoint);
    }
    if (settings_.has_ecn && packet.echoes_congestion != 0) heed_echo(endpoint);
    if (newly_sacked > 0 && endpoint.state == SendState::open) look_for_gaps(now, id);
}

// Returns how many bytes it tells of that were not known.
std::uint64_t Tcp::note_sacked(Endpoint& endpoint, const Packet& packet) {
    const std::uint64_t begin = std::max(endpoint.una, widen(endpoint.una, packet.sack_begin));
    const std::uint64_t end = widen(endpoint.una, packet.sack_end);
    if (end <= begin || end > endpoint.nxt) return 0;
    Trouble& trouble = trouble_of(endpoint);
    const std::uint64_t before = trouble.sacked.bytes();
    trouble.sacked.add(begin, end);
    const std::uint64_t newly = trouble.sacked.bytes() - before;
    if (newly > 0) ++trouble.duplicates;
    return newly;
}

void Tcp::grow_window(Picoseconds now, Endpoint& endpoint, std::uint64_t acked_bytes) {
    const float segment = static_cast<float>(settings_.segment_bytes);
    const bool is_starting = endpoint.window < endpoint.threshold;
    const bool is_used = is_starting ? endpoint.window * segment < 2 * static_cast<float>(endpoint.most_flight)
                                     : endpoint.was_window_limited;
    if (!is_used || acked_bytes == 0) return;
    float segments = static_cast<float>(acked_bytes) / segment;
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
    endpoint.threshold = control_of(settings_.congestion).after_loss(endpoint, trouble);
    endpoint.window = endpoint.threshold;
    trouble.point = endpoint.nxt;
}

}  // namespace clearway::simulator
