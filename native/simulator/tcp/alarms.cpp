// Timers of an endpoint: net/ipv4/tcp_timer.c. There is one for what may have been lost and one for a delayed
// acknowledgement; the heap holds one entry for both, which may come too early and is then put back.
#include <algorithm>

#include "simulator/tcp/round_trip.hpp"
#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

namespace {

constexpr Picoseconds kLeastProbeWait = from_ns(2'000'000);  // TCP_TIMEOUT_MIN: two ticks of a kernel of 1000 Hz

}  // namespace

// After progress, and when something is in flight again.
void Tcp::set_resend_alarm(Picoseconds now, Endpoint& endpoint) const {
    endpoint.alarm = Alarm::timeout;
    const bool is_waiting_for_window = endpoint.una == endpoint.nxt && endpoint.nxt < endpoint.written &&
                                       endpoint.window_end < endpoint.nxt + settings_.segment_bytes;
    if (endpoint.una == endpoint.nxt && !is_waiting_for_window) {
        endpoint.resend_at = kNever;
        return;
    }
    const Picoseconds timeout = timeout_of(endpoint, settings_);
    endpoint.resend_at = now + timeout;
    if (!settings_.probes_tails || endpoint.state != SendState::open || endpoint.una == endpoint.nxt) return;
    // tcp_schedule_loss_probe: a peer that delays its acknowledgement of a single segment is given time.
    const bool is_single = endpoint.nxt - endpoint.una <= settings_.segment_bytes;
    const Picoseconds patience = is_single ? from_ns(settings_.least_timeout_ns) : kLeastProbeWait;
    const Picoseconds wait = 2 * from_ns(endpoint.srtt_ns) + patience;
    if (wait >= timeout) return;
    endpoint.resend_at = now + wait;
    endpoint.alarm = Alarm::probe;
}

void Tcp::keep_alarm(std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    const Picoseconds next = std::min(endpoint.resend_at, endpoint.acknowledge_at);
    if (next >= endpoint.waking_at) return;
    endpoint.waking_at = next;
    timers_.push({next, Waking::connection, id});
}

void Tcp::wake(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    if (now != endpoint.waking_at) return;
    endpoint.waking_at = kNever;
    if (endpoint.acknowledge_at <= now) {
        endpoint.answers = false;  // tcp_delack_timer_handler: the answer did not come
        acknowledge(now, id);
    }
    if (endpoint.resend_at <= now) ring_resend(now, id);
    keep_alarm(id);
}

void Tcp::ring_resend(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    switch (endpoint.alarm) {
        case Alarm::reordering:
            start_recovery(now, id);
            break;
        case Alarm::probe:
            probe_tail(now, id);
            return;
        case Alarm::timeout:
            if (endpoint.una == endpoint.nxt) {  // the window is closed: ask (RFC 9293, 3.8.6.1)
                if (endpoint.backoff < 255) ++endpoint.backoff;
                emit(now, id, endpoint.una - 1, endpoint.una - 1);
            } else {
                start_loss(endpoint);
            }
            set_resend_alarm(now, endpoint);
            break;
    }
    send_what_may_go(now, id);
}

// RFC 8985, section 7: new data where there is some, else the last segment again.
void Tcp::probe_tail(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    const StreamRange piece = next_piece(endpoint);
    if (piece.begin < piece.end) {
        emit(now, id, piece.begin, piece.end);
    } else {
        trouble_of(endpoint);
        const std::uint64_t length = std::min<std::uint64_t>(endpoint.nxt - endpoint.una, settings_.segment_bytes);
        emit(now, id, endpoint.nxt - length, endpoint.nxt);
    }
    endpoint.alarm = Alarm::timeout;
    endpoint.resend_at = now + timeout_of(endpoint, settings_);
}

}  // namespace clearway::simulator
