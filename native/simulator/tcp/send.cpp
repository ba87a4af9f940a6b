// What leaves an endpoint, and when: tcp_write_xmit and tcp_transmit_skb of net/ipv4/tcp_output.c.
#include <algorithm>

#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

namespace {

// What a segment takes of the kernel's memory (truesize): its bytes, and what describes them.
constexpr std::uint32_t memory_of(std::uint32_t payload_bytes) { return payload_bytes + 832; }

bool has_room_in_window(const Learnt& learnt, const Flight& segments) {
    const auto flight = static_cast<float>(segments.in_flight());
    return flight == 0 || flight + 1 <= learnt.window + 1e-3F;
}

}  // namespace

void Tcp::send_what_may_go(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    Busy& busy = wake_up(endpoint);
    Flight& flight = busy.flight;
    const Learnt& learnt = learnt_of(endpoint);  // sending teaches nothing
    bool has_sent = false, is_limited = false;
    while (in_pace_at(id) <= now) {
        const bool is_again = flight.has_lost();
        const std::uint32_t fresh = next_length(endpoint, busy);
        if (!is_again && fresh == 0) break;
        is_limited = !has_room_in_window(learnt, flight);
        if (is_limited || !has_room_before_card(id, is_again)) break;
        if (is_again) {
            send_again(now, id, flight.next_lost());
        } else {
            send_first(now, id, fresh);
        }
        has_sent = true;
    }
    if (is_limited || has_sent) note_limits(endpoint, flight, is_limited || !has_room_in_window(learnt, flight));
    if (busy.resend_at == kNever || (has_sent && endpoint.alarm == Alarm::probe))
        set_resend_alarm(now, endpoint, busy, false);
    keep_alarm(now, id);
}

// Of the next segment that is new. Nagle's algorithm is off, as all MPIs have it.
std::uint32_t Tcp::next_length(const Endpoint& endpoint, const Busy& busy) const {
    const std::uint32_t limit =
        std::max(busy.flying_bytes, std::min(busy.written_bytes, learnt_of(endpoint).window_bytes));
    const std::uint32_t length = std::min(limit - busy.flying_bytes, settings_.segment_bytes);
    // Short pieces of a nearly closed window are not worth a packet (RFC 1122, 4.2.3.4).
    const bool is_silly = busy.flying_bytes + length < busy.written_bytes && length < settings_.segment_bytes;
    return is_silly && busy.flying_bytes > 0 ? 0 : length;
}

// tcp_small_queue_check: two segments, or what goes out in a millisecond, but no more than the limit; twice that for
// what is sent again. Who has at most one segment unacknowledged may always send.
bool Tcp::has_room_before_card(std::uint32_t id, bool is_again) const {
    if (settings_.card_queue_bytes == 0) return true;
    const Endpoint& endpoint = endpoints_[id];
    const Flight& flight = busy_of(endpoint).flight;
    if (flight.size() <= 1) return true;
    const std::uint64_t two_segments = 2 * memory_of(settings_.segment_bytes);
    const auto millisecond =
        static_cast<std::uint64_t>(own_bytes_per_s(learnt_of(endpoint), flight) / 1024);  // sk_pacing_shift: 10
    const std::uint64_t limit = std::min(std::max(two_segments, millisecond), settings_.card_queue_bytes);
    return card_bytes_[id] < (is_again ? 2 * limit : limit);
}

void Tcp::send_first(Picoseconds now, std::uint32_t id, std::uint32_t length) {
    Endpoint& endpoint = endpoints_[id];
    Busy& busy = wake_up(endpoint);
    const std::uint64_t begin = nxt(endpoint, busy);
    busy.flight.send(static_cast<std::uint32_t>(begin + length), length, now);
    if (endpoint.state == SendState::recovery) ++trouble_of(endpoint).sent;
    busy.flying_bytes += length;
    emit(now, id, begin, length);
}

void Tcp::send_again(Picoseconds now, std::uint32_t id, std::uint32_t i) {
    Endpoint& endpoint = endpoints_[id];
    Flight& flight = wake_up(endpoint).flight;
    ++counts_.resent;
    flight.send_again(i, now);
    if (endpoint.state == SendState::recovery) ++trouble_of(endpoint).sent;
    emit(now, id, flight[i].begin(), flight[i].length);
}

void Tcp::emit(Picoseconds now, std::uint32_t id, std::uint64_t begin, std::uint32_t length) {
    Endpoint& endpoint = endpoints_[id];
    Busy& busy = wake_up(endpoint);
    Packet packet{};
    packet.to = peer_of(id);
    packet.sequence = static_cast<std::uint32_t>(begin);
    packet.length = length & 0x3FFFU;
    packet.acknowledged = static_cast<std::uint32_t>(endpoint.received);
    packet.echoes_congestion = endpoint.echoes_congestion ? 1 : 0;
    const std::uint64_t room = settings_.receive_buffer_bytes - busy.unread_bytes;
    packet.window = static_cast<std::uint16_t>(std::min<std::uint64_t>(room / kWindowUnit, 0xFFFF));
    if (Trouble* trouble = trouble_or_none(endpoint); trouble != nullptr && !trouble->held.empty()) {
        const StreamRange& held = trouble->held[trouble->next_report++ % trouble->held.size()];
        packet.sack_begin = static_cast<std::uint32_t>(held.begin);
        packet.sack_end = static_cast<std::uint32_t>(held.end);
    }
    busy.untold_bytes = 0;
    busy.acknowledge_at = kNever;
    endpoint.owed_segments = 0;
    if (length > 0) {
        ++counts_.segments;
        if (now - endpoint.last_received < from_ns(settings_.delayed_ack_ns) && endpoint.received > 0)
            endpoint.answers = true;
        endpoint.last_sent = now;
        if (settings_.card_queue_bytes != 0) card_bytes_[id] += memory_of(length);
        keep_pace(now, id, length);
    } else {
        ++counts_.acknowledgements;
    }
    network_.send(packet_cost_ == nullptr ? now : packet_cost_->with_card_at(now), network_.host_of(id), packet);
}

void Tcp::acknowledge(Picoseconds now, std::uint32_t id) {
    const Endpoint& endpoint = endpoints_[id];
    emit(now, id, nxt(endpoint, busy_of(endpoint)), 0);
}

void Tcp::left_card(Picoseconds now, const Packet& packet) {
    if (settings_.card_queue_bytes == 0 || packet.length == 0) return;
    const std::uint32_t id = peer_of(packet.to);
    const bool was_full = !has_room_before_card(id, false);
    card_bytes_[id] -= memory_of(packet.length);
    if (was_full && has_room_before_card(id, true)) send_what_may_go(now, id);
}

// tcp_update_pacing_rate: twice as fast as the window allows in slow start, else 1.2 times.
double Tcp::own_bytes_per_s(const Learnt& learnt, const Flight& flight) const {
    const double factor = learnt.window < learnt.threshold / 2 ? 2 : 1.2;
    const float segments = std::max(learnt.window, static_cast<float>(flight.size()));
    return factor * static_cast<double>(segments) * settings_.segment_bytes / (std::max(1U, learnt.srtt_ns) * 1e-9);
}

// tcp_update_skb_after_send: never faster than was asked for. The first segments of a connection are not paced.
void Tcp::keep_pace(Picoseconds now, std::uint32_t id, std::uint32_t length) {
    constexpr std::uint32_t kUnpaced = 10;  // segments
    if (settings_.most_bytes_per_s == 0) return;
    const Endpoint& endpoint = endpoints_[id];
    const Busy& busy = busy_of(endpoint);
    if (nxt(endpoint, busy) < std::uint64_t{kUnpaced} * settings_.segment_bytes) return;
    const double bytes_per_s =
        std::min(own_bytes_per_s(learnt_of(endpoint), busy.flight), static_cast<double>(settings_.most_bytes_per_s));
    in_pace_at_[id] = now + static_cast<Picoseconds>(length / bytes_per_s * static_cast<double>(kSecond));
}

// tcp_cwnd_validate: a window that is not used up does not grow.
void Tcp::note_limits(Endpoint& endpoint, Flight& flight, bool is_limited) {
    const bool is_larger = !endpoint.was_window_limited && flight.size() > flight.most();  // what is lost included
    if (flight.is_most_under_way() && !is_larger && !is_limited) return;
    flight.note_most();
    endpoint.was_window_limited = is_limited;
}

// tcp_cwnd_restart: the window is halved for every timeout that has passed in silence, down to the initial one.
void Tcp::restart_after_idle(Picoseconds now, Endpoint& endpoint) {
    const Picoseconds timeout = this->timeout(endpoint);
    if (!settings_.restarts_after_idle || now - endpoint.last_sent <= timeout) return;
    const Learnt& before = learnt_of(endpoint);
    const float threshold = std::max(before.threshold, before.window * 3 / 4);
    const auto least = std::min(before.window, static_cast<float>(settings_.initial_window));
    float window = before.window;
    for (Picoseconds idle = now - endpoint.last_sent; idle > timeout && window > least; idle -= timeout) window /= 2;
    window = std::max(window, least);
    if (threshold == before.threshold && window == before.window) return;
    Learnt& learnt = learnt_by(endpoint);
    learnt.threshold = threshold;
    learnt.window = window;
}

}  // namespace clearway::simulator
