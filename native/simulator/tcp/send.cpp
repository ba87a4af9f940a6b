// What leaves an endpoint, and when: tcp_write_xmit and tcp_transmit_skb of net/ipv4/tcp_output.c.
#include <algorithm>

#include "simulator/tcp/round_trip.hpp"
#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

void Tcp::send_what_may_go(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    bool is_limited = false;
    const std::uint64_t sent_before = endpoint.nxt;
    for (;;) {
        if (settings_.card_queue_bytes != 0 && endpoint.card_bytes >= settings_.card_queue_bytes) break;
        const StreamRange piece = next_piece(endpoint);
        if (piece.begin == piece.end) break;
        is_limited = !fits_window(endpoint, piece.end - piece.begin);
        if (is_limited) break;
        emit(now, id, piece.begin, piece.end);
    }
    if (is_limited || endpoint.nxt != sent_before) note_limits(endpoint, is_limited);
    if (endpoint.resend_at == kNever) set_resend_alarm(now, endpoint);
    keep_alarm(id);
}

// What is to be sent next: what was lost, then what is new. Nagle's algorithm is off, as all MPIs have it.
StreamRange Tcp::next_piece(const Endpoint& endpoint) const {
    if (endpoint.state != SendState::open) {
        const Trouble& trouble = *trouble_or_none(endpoint);
        const std::uint64_t from = std::max(endpoint.una, trouble.resent_end);
        const StreamRange gap = trouble.sacked.first_gap(from, trouble.lost_end);
        if (gap.begin < gap.end) return {gap.begin, std::min(gap.end, gap.begin + settings_.segment_bytes)};
    }
    const std::uint64_t limit = std::max(endpoint.nxt, std::min(endpoint.written, endpoint.window_end));
    const std::uint64_t end = std::min(limit, endpoint.nxt + settings_.segment_bytes);
    // Short pieces of a nearly closed window are not worth a packet (RFC 1122, 4.2.3.4).
    const bool is_silly = end < endpoint.written && end - endpoint.nxt < settings_.segment_bytes;
    return {endpoint.nxt, is_silly && endpoint.una < endpoint.nxt ? endpoint.nxt : end};
}

// RFC 6675's pipe: neither what the peer has, nor what is lost and not yet sent again.
std::uint64_t Tcp::in_flight(const Endpoint& endpoint) const {
    const std::uint64_t flight = endpoint.nxt - endpoint.una;
    const Trouble* trouble = trouble_or_none(endpoint);
    if (trouble == nullptr || (endpoint.state == SendState::open && trouble->sacked.empty())) return flight;
    const std::uint64_t lost = trouble->sacked.missing(std::max(endpoint.una, trouble->resent_end), trouble->lost_end);
    return flight - trouble->sacked.bytes() - lost;
}

bool Tcp::fits_window(const Endpoint& endpoint, std::uint64_t length) const {
    const std::uint64_t flight = in_flight(endpoint);
    const double window_bytes = static_cast<double>(endpoint.window) * settings_.segment_bytes;
    return flight == 0 || static_cast<double>(flight + length) <= window_bytes + 1;
}

void Tcp::emit(Picoseconds now, std::uint32_t id, std::uint64_t begin, std::uint64_t end) {
    Endpoint& endpoint = endpoints_[id];
    Packet packet{};
    packet.to = peer_of(id);
    packet.sequence = static_cast<std::uint32_t>(begin);
    packet.length = (end - begin) & 0x3FFFU;
    packet.acknowledged = static_cast<std::uint32_t>(endpoint.received);
    packet.echoes_congestion = endpoint.echoes_congestion ? 1 : 0;
    const std::uint64_t room = endpoint.read + settings_.receive_buffer_bytes - endpoint.received;
    packet.window = static_cast<std::uint16_t>(std::min<std::uint64_t>(room / kWindowUnit, 0xFFFF));
    if (Trouble* trouble = trouble_or_none(endpoint); trouble != nullptr && !trouble->held.empty()) {
        const StreamRange& held = trouble->held[trouble->next_report++ % trouble->held.size()];
        packet.sack_begin = static_cast<std::uint32_t>(held.begin);
        packet.sack_end = static_cast<std::uint32_t>(held.end);
    }
    endpoint.acknowledged = endpoint.received;
    endpoint.acknowledge_at = kNever;
    if (end > begin) {
        ++counts_.segments;
        if (now - endpoint.last_received < from_ns(settings_.delayed_ack_ns) && endpoint.received > 0)
            endpoint.answers = true;
        endpoint.last_sent = now;
        if (begin < endpoint.nxt) {
            ++counts_.resent;
            // Whose acknowledgement would it be? (Karn and Partridge 1987)
            if (begin < endpoint.timed_end && endpoint.timed_end <= end) endpoint.timed_end = 0;
            Trouble& trouble = *trouble_or_none(endpoint);
            trouble.resent_mark = endpoint.nxt;
            trouble.resent_end = std::max(trouble.resent_end, end);
            trouble.sent += end - begin;
        } else {
            if (endpoint.timed_end == 0) {
                endpoint.timed_end = end;
                endpoint.timed_at = now;
            }
            if (endpoint.state == SendState::recovery) trouble_or_none(endpoint)->sent += end - begin;
            endpoint.nxt = end;
        }
        endpoint.card_bytes += static_cast<std::uint32_t>(end - begin);
    } else {
        ++counts_.acknowledgements;
    }
    network_.send(now, network_.host_of(id), packet);
}

void Tcp::acknowledge(Picoseconds now, std::uint32_t id) { emit(now, id, endpoints_[id].nxt, endpoints_[id].nxt); }

void Tcp::left_card(Picoseconds now, const Packet& packet) {
    if (settings_.card_queue_bytes == 0 || packet.length == 0) return;
    const std::uint32_t id = peer_of(packet.to);
    Endpoint& endpoint = endpoints_[id];
    const bool was_full = endpoint.card_bytes >= settings_.card_queue_bytes;
    endpoint.card_bytes -= packet.length;
    if (was_full && endpoint.card_bytes < settings_.card_queue_bytes) send_what_may_go(now, id);
}

// tcp_cwnd_validate: a window that is not used up does not grow.
void Tcp::note_limits(Endpoint& endpoint, bool is_limited) {
    const auto flight = static_cast<std::uint32_t>(endpoint.nxt - endpoint.una);  // packets_out: what is lost included
    if (endpoint.una < endpoint.flight_until && flight <= endpoint.most_flight && !is_limited) return;
    endpoint.most_flight = flight;
    endpoint.flight_until = endpoint.nxt;
    endpoint.was_window_limited = is_limited;
}

// tcp_cwnd_restart: the window is halved for every timeout that has passed in silence, down to the initial one.
void Tcp::restart_after_idle(Picoseconds now, Endpoint& endpoint) const {
    const Picoseconds timeout = timeout_of(endpoint, settings_);
    if (!settings_.restarts_after_idle || now - endpoint.last_sent <= timeout) return;
    endpoint.threshold = std::max(endpoint.threshold, endpoint.window * 3 / 4);
    const auto least = std::min(endpoint.window, static_cast<float>(settings_.initial_window));
    for (Picoseconds idle = now - endpoint.last_sent; idle > timeout && endpoint.window > least; idle -= timeout)
        endpoint.window /= 2;
    endpoint.window = std::max(endpoint.window, least);
}

}  // namespace clearway::simulator
