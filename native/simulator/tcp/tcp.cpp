#include "simulator/tcp/tcp.hpp"

#include <algorithm>
#include <utility>

namespace clearway::simulator {

const Busy Tcp::kIdle{};

Tcp::Tcp(const TcpSettings& settings, Network& network, Timers& timers)
    : settings_(settings), network_(network), timers_(timers) {
    if (settings.card_queue_bytes != 0) network.tell_of_sent();
}

std::uint32_t Tcp::connect(std::uint32_t host, std::uint32_t peer_host) {
    const auto id = static_cast<std::uint32_t>(endpoints_.size());
    Endpoint endpoint;
    endpoint.quick_acks = static_cast<std::uint8_t>(settings_.quick_acks);
    endpoint.learnt =
        learnt_from_handshake(network_.unhindered(host, peer_host, 0) + network_.unhindered(peer_host, host, 0));
    endpoints_.insert(endpoints_.end(), 2, endpoint);
    learnt_.reserve(endpoints_.capacity() + shared_learnt_.size());
    if (settings_.most_bytes_per_s != 0) in_pace_at_.resize(endpoints_.size());
    if (settings_.card_queue_bytes != 0) card_bytes_.resize(endpoints_.size());
    network_.add_endpoint(host);
    network_.add_endpoint(peer_host);
    return id;
}

std::uint64_t Tcp::write(Picoseconds now, std::uint32_t id, std::uint64_t bytes) {
    Endpoint& endpoint = endpoints_[id];
    const std::uint64_t buffer_bytes = send_buffer_bytes(id);
    const std::uint64_t room = buffer_bytes - std::min<std::uint64_t>(buffer_bytes, written_bytes(endpoint));
    const std::uint64_t taken = std::min(room, bytes);
    endpoint.wants_room = taken < bytes;
    if (taken == 0) return 0;
    Busy& busy = wake_up(endpoint);
    if (busy.written_bytes == 0) restart_after_idle(now, endpoint);
    busy.written_bytes += static_cast<std::uint32_t>(taken);
    send_what_may_go(now, id);
    rest(endpoint);
    return taken;
}

void Tcp::read(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    if (endpoint.busy >= kLoneSegment) return;  // it has read all
    Busy& busy = busy_[endpoint.busy];
    const bool was_tight = busy.unread_bytes >= settings_.receive_buffer_bytes / 2;
    busy.unread_bytes = 0;
    const bool is_owed = busy.untold_bytes > 0;
    // A short segment ends what the peer has to say: it is acknowledged when the program has taken it, unless the
    // program's answer will do that; a second one waits for no answer (tcp_cleanup_rbuf, ICSK_ACK_PUSHED2).
    const bool may_wait = endpoint.answers && endpoint.owed_segments < 2;
    const bool is_heard_out = settings_.ack_segments == 0 && endpoint.ended_short && !may_wait;
    if (was_tight || (is_owed && is_heard_out)) acknowledge(now, id);
    rest(endpoint);
}

Busy& Tcp::wake_up_from_rest(Endpoint& endpoint) {
    const std::uint32_t length = lone_bytes(endpoint);
    const Fate fate = fate_of_lone(endpoint.busy);
    endpoint.busy = busy_.take();
    Busy& busy = busy_[endpoint.busy];
    if (length == 0) return busy;
    busy.flying_bytes = busy.written_bytes = length;
    busy.flight.send(static_cast<std::uint32_t>(endpoint.una + length), length, endpoint.last_sent);
    busy.flight.note_most();
    if (fate != Fate{}) busy.flight.set_fate(fate);
    busy.resend_at = endpoint.waking_at;
    return busy;
}

// Whatever an event has left of it. What wakes an endpoint up lets it rest in the end.
void Tcp::rest(Endpoint& endpoint) {
    if (endpoint.busy >= kLoneSegment) return;
    Busy& busy = busy_[endpoint.busy];
    if (busy.has_lone_segment(endpoint)) {
        const std::uint32_t lone = lone_segment(busy.flying_bytes, busy.flight.fate());
        busy.flying_bytes = busy.written_bytes = 0;
        busy.resend_at = kNever;
        busy.flight.clear();
        busy_.give_back(std::exchange(endpoint.busy, lone));
    } else if (endpoint.alarm == Alarm::timeout && busy.is_idle()) {
        busy_.give_back(std::exchange(endpoint.busy, kNone));
    }
}

std::uint32_t Tcp::learnt_from_handshake(Picoseconds round_trip) {
    const auto [known, is_new] = shared_learnt_.try_emplace(round_trip, 0);
    if (is_new) {
        known->second = static_cast<std::uint32_t>(learnt_.size());
        Learnt& learnt = learnt_.emplace_back();
        learnt.window = static_cast<float>(settings_.initial_window);
        learnt.threshold = 1e9F;
        learnt.window_bytes = static_cast<std::uint32_t>(settings_.receive_buffer_bytes);
        measured_round_trip(learnt, round_trip);
    }
    return known->second;
}

// From now on for itself.
Learnt& Tcp::learns(Endpoint& endpoint) {
    const Learnt before = learnt_[endpoint.learnt];
    endpoint.learnt = static_cast<std::uint32_t>(learnt_.size());
    endpoint.has_learnt = true;
    return learnt_.emplace_back(before);
}

Trouble& Tcp::trouble_of(Endpoint& endpoint) {
    if (const std::uint32_t known = learnt_of(endpoint).trouble; known != kNone) return troubles_[known];
    learnt_by(endpoint).trouble = static_cast<std::uint32_t>(troubles_.size());
    return troubles_.emplace_back();
}

Trouble* Tcp::trouble_or_none(const Endpoint& endpoint) {
    const std::uint32_t known = learnt_of(endpoint).trouble;
    return known == kNone ? nullptr : &troubles_[known];
}

const Trouble* Tcp::trouble_or_none(const Endpoint& endpoint) const {
    const std::uint32_t known = learnt_of(endpoint).trouble;
    return known == kNone ? nullptr : &troubles_[known];
}

}  // namespace clearway::simulator
