// What an endpoint makes of a packet, and when it acknowledges: tcp_data_queue and __tcp_ack_snd_check of
// net/ipv4/tcp_input.c.
#include <algorithm>

#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

void Tcp::arrive(Picoseconds now, const Packet& packet) {
    const std::uint32_t id = packet.to;
    Endpoint& endpoint = endpoints_[id];
    Busy& busy = wake_up(endpoint);
    const std::uint64_t una = endpoint.una;
    const std::uint64_t received = endpoint.received;
    take_acknowledgement(now, id, packet);
    // An empty packet from before the present is a window probe.
    const bool is_probe = packet.length == 0 && widen(received, packet.sequence) < received;
    if (settings_.congestion == Congestion::dctcp && packet.length > 0) tell_of_marks(now, id, packet);
    const bool is_urgent = packet.length > 0 ? take_data(now, endpoint, busy, packet) : is_probe;
    send_what_may_go(now, id);
    if (is_urgent || busy.untold_bytes > 0) decide_acknowledgement(now, id, is_urgent);
    if (endpoint.received > received) user_->can_read(now, id);
    if (endpoints_[id].una > una && endpoints_[id].wants_room) tell_of_room(now, id);
    rest(endpoints_[id]);
}

// RFC 8257, section 3.2: an acknowledgement covers either marked segments or others.
void Tcp::tell_of_marks(Picoseconds now, std::uint32_t id, const Packet& packet) {
    const Endpoint& endpoint = endpoints_[id];
    const bool has_changed = endpoint.echoes_congestion != (packet.has_met_congestion != 0);
    if (has_changed && busy_of(endpoint).untold_bytes > 0) acknowledge(now, id);
}

// Returns whether the sender must hear of it at once.
bool Tcp::take_data(Picoseconds now, Endpoint& endpoint, Busy& busy, const Packet& packet) {
    const std::uint64_t begin = widen(endpoint.received, packet.sequence);
    const std::uint64_t end = begin + packet.length;
    if (now - endpoint.last_received > timeout(endpoint))
        endpoint.quick_acks = static_cast<std::uint8_t>(settings_.quick_acks);
    endpoint.last_received = now;
    endpoint.echoes_congestion = packet.has_met_congestion != 0;
    const std::uint64_t room = settings_.receive_buffer_bytes - busy.unread_bytes;
    if (end <= endpoint.received || end > endpoint.received + room) return true;
    endpoint.ended_short = packet.length < settings_.segment_bytes;
    Trouble* trouble = trouble_or_none(endpoint);
    if (begin > endpoint.received) {
        Trouble& gap = trouble_of(endpoint);
        const StreamRange changed = gap.held.add(begin, end);
        // RFC 2018: the first block tells of the segment that has just come.
        for (std::uint32_t i = 0; i < gap.held.size(); ++i)
            if (gap.held[i].begin == changed.begin) gap.next_report = i;
        return true;
    }
    const bool closes_gap = trouble != nullptr && !trouble->held.empty();
    const bool joins = closes_gap && trouble->held[0].begin <= end;
    const std::uint64_t received = joins ? std::max(end, trouble->held[0].end) : end;
    const auto news = static_cast<std::uint32_t>(received - endpoint.received);
    endpoint.received = received & kMostPosition;
    busy.untold_bytes += news;
    busy.unread_bytes += news;
    if (endpoint.owed_segments < 255) ++endpoint.owed_segments;
    if (closes_gap) trouble->held.drop_below(received);
    return closes_gap;
}

void Tcp::decide_acknowledgement(Picoseconds now, std::uint32_t id, bool is_urgent) {
    Endpoint& endpoint = endpoints_[id];
    Busy& busy = wake_up(endpoint);
    const std::uint32_t owed = busy.untold_bytes;
    const bool is_quick = endpoint.quick_acks > 0 && !endpoint.answers;
    const bool is_much = settings_.ack_segments == 0 ? owed > settings_.segment_bytes
                                                     : owed > 0 && endpoint.owed_segments >= settings_.ack_segments;
    if (is_urgent || is_much || is_quick) {
        if (endpoint.quick_acks > 0) --endpoint.quick_acks;
        acknowledge(now, id);
    } else if (owed > 0 && busy.acknowledge_at == kNever) {
        busy.acknowledge_at = last_tick(now, network_.host_of(id)) + from_ns(settings_.delayed_ack_ns);
        keep_alarm(now, id);
    }
}

}  // namespace clearway::simulator
