// What leaves an endpoint, and when: tcp_write_xmit and tcp_transmit_skb of net/ipv4/tcp_output.c.
#include <algorithm>

#include "simulator/tcp/round_trip.hpp"
#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

namespace {

// What a segment takes of the kernel's memory (truesize): its bytes, and what describes them.
constexpr std::uint32_t memory_of(std::uint32_t payload_bytes) { return payload_bytes + 832; }

}  // namespace

void Tcp::send_what_may_go(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    bool has_sent = false, is_limited = false;
    while (in_pace_at(id) <= now) {
        const Flight& flight = flight_of(endpoint);
        const std::uint32_t lost = flight.next_lost();
        const StreamRange fresh = next_piece(endpoint);
        const bool is_again = lost < flight.size();
        if (!is_again && fresh.begin == fresh.end) break;
        is_limited = !has_room_in_window(endpoint);
        if (is_limited || !has_room_before_card(endpoint, is_again)) break;
        if (is_again) {
            send_again(now, id, lost);
        } else {
            send_first(now, id, fresh);
        }
        has_sent = true;
    }
    if (is_limited || has_sent) note_limits(endpoint, is_limited || !has_room_in_window(endpoint));
    if (endpoint.resend_at == kNever || (has_sent && endpoint.alarm == Alarm::probe))
        set_resend_alarm(now, endpoint, false);
    keep_alarm(now, id);
}

// What is new. Nagle's algorithm is off, as all MPIs have it.
StreamRange Tcp::next_piece(const Endpoint& endpoint) const {
    const std::uint64_t limit = std::max(endpoint.nxt, std::min(endpoint.written, endpoint.window_end));
    const std::uint64_t end = std::min(limit, endpoint.nxt + settings_.segment_bytes);
    // Short pieces of a nearly closed window are not worth a packet (RFC 1122, 4.2.3.4).
    const bool is_silly = end < endpoint.written && end - endpoint.nxt < settings_.segment_bytes;
    return {endpoint.nxt, is_silly && endpoint.una < endpoint.nxt ? endpoint.nxt : end};
}

bool Tcp::has_room_in_window(const Endpoint& endpoint) const {
    const auto flight = static_cast<float>(flight_of(endpoint).in_flight());
    return flight == 0 || flight + 1 <= endpoint.window + 1e-3F;
}

// tcp_small_queue_check: two segments, or what goes out in a millisecond, but no more than the limit; twice that for
// what is sent again. Who has at most one segment unacknowledged may always send.
bool Tcp::has_room_before_card(const Endpoint& endpoint, bool is_again) const {
    if (settings_.card_queue_bytes == 0 || flight_of(endpoint).size() <= 1) return true;
    const std::uint64_t two_segments = 2 * memory_of(settings_.segment_bytes);
    const auto millisecond = static_cast<std::uint64_t>(own_bytes_per_s(endpoint) / 1024);  // sk_pacing_shift: 10
    const std::uint64_t limit = std::min(std::max(two_segments, millisecond), settings_.card_queue_bytes);
    return endpoint.card_bytes < (is_again ? 2 * limit : limit);
}

void Tcp::send_first(Picoseconds now, std::uint32_t id, const StreamRange& piece) {
    Endpoint& endpoint = endpoints_[id];
    const auto length = static_cast<std::uint32_t>(piece.end - piece.begin);
    flight_to_fill(endpoint).send(static_cast<std::uint32_t>(piece.end), length, now);
    if (endpoint.state == SendState::recovery) ++trouble_of(endpoint).sent;
    endpoint.nxt = piece.end;
    emit(now, id, piece.begin, length);
}

void Tcp::send_again(Picoseconds now, std::uint32_t id, std::uint32_t i) {
    Endpoint& endpoint = endpoints_[id];
    Flight& flight = flight_to_fill(endpoint);
    ++counts_.resent;
    flight.send_again(i, now);
    if (endpoint.state == SendState::recovery) ++trouble_of(endpoint).sent;
    emit(now, id, flight[i].begin(), flight[i].length);
}

void Tcp::emit(Picoseconds now, std::uint32_t id, std::uint64_t begin, std::uint32_t length) {
    Endpoint& endpoint = endpoints_[id];
    Packet packet{};
    packet.to = peer_of(id);
    packet.sequence = static_cast<std::uint32_t>(begin);
    packet.length = length & 0x3FFFU;
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
    endpoint.owed_segments = 0;
    if (length > 0) {
        ++counts_.segments;
        if (now - endpoint.last_received < from_ns(settings_.delayed_ack_ns) && endpoint.received > 0)
            endpoint.answers = true;
        endpoint.last_sent = now;
        endpoint.card_bytes += memory_of(length);
        keep_pace(now, id, length);
    } else {
        ++counts_.acknowledgements;
    }
    network_.send(now, network_.host_of(id), packet);
}

void Tcp::acknowledge(Picoseconds now, std::uint32_t id) { emit(now, id, endpoints_[id].nxt, 0); }

void Tcp::left_card(Picoseconds now, const Packet& packet) {
    if (settings_.card_queue_bytes == 0 || packet.length == 0) return;
    const std::uint32_t id = peer_of(packet.to);
    Endpoint& endpoint = endpoints_[id];
    const bool was_full = !has_room_before_card(endpoint, false);
    endpoint.card_bytes -= memory_of(packet.length);
    if (was_full && has_room_before_card(endpoint, true)) send_what_may_go(now, id);
}

// tcp_update_pacing_rate: twice as fast as the window allows in slow start, else 1.2 times.
double Tcp::own_bytes_per_s(const Endpoint& endpoint) const {
    const double factor = endpoint.window < endpoint.threshold / 2 ? 2 : 1.2;
    const float segments = std::max(endpoint.window, static_cast<float>(flight_of(endpoint).size()));
    return factor * static_cast<double>(segments) * settings_.segment_bytes / (std::max(1U, endpoint.srtt_ns) * 1e-9);
}

// tcp_update_skb_after_send: never faster than was asked for. The first segments of a connection are not paced.
void Tcp::keep_pace(Picoseconds now, std::uint32_t id, std::uint32_t length) {
    constexpr std::uint32_t kUnpaced = 10;  // segments
    const Endpoint& endpoint = endpoints_[id];
    if (settings_.most_bytes_per_s == 0 || endpoint.nxt < std::uint64_t{kUnpaced} * settings_.segment_bytes) return;
    const double bytes_per_s = std::min(own_bytes_per_s(endpoint), static_cast<double>(settings_.most_bytes_per_s));
    in_pace_at_[id] = now + static_cast<Picoseconds>(length / bytes_per_s * static_cast<double>(kSecond));
}

// tcp_cwnd_validate: a window that is not used up does not grow.
void Tcp::note_limits(Endpoint& endpoint, bool is_limited) {
    Flight& flight = flight_to_fill(endpoint);
    const bool is_larger = !endpoint.was_window_limited && flight.size() > flight.most();  // what is lost included
    if (flight.is_most_under_way() && !is_larger && !is_limited) return;
    flight.note_most();
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
