// Timers of an endpoint: net/ipv4/tcp_timer.c. There is one for what may have been lost, one for a delayed
// acknowledgement and one for the pace; the heap holds one entry for all, which may come too early and is then put
// back.
#include <algorithm>

#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

// Timers count in ticks.
Picoseconds Tcp::whole_ticks(Picoseconds time) const {
    const Picoseconds tick = std::max<Picoseconds>(1, from_ns(settings_.tick_ns));
    return (time + tick - 1) / tick * tick;
}

// A timer is set at what the clock of jiffies says, which is when the host has ticked last.
Picoseconds Tcp::last_tick(Picoseconds time, std::uint32_t host) const {
    const Picoseconds tick = from_ns(settings_.tick_ns);
    if (!settings_.own_ticks || tick == 0) return time;
    constexpr std::uint64_t kGolden = 618'034, kMillion = 1'000'000;  // so hosts are spread over a tick
    const Picoseconds phase = static_cast<Picoseconds>(host * kGolden % kMillion) * (tick / kMillion);
    return std::max<Picoseconds>(0, time - (time + phase) % tick);
}

// TCP_TIMEOUT_MIN is two of them.
Picoseconds Tcp::least_wait() const { return 2 * from_ns(settings_.tick_ns); }

// Anew with each acknowledgement, and when something is in flight again.
void Tcp::set_resend_alarm(Picoseconds now, Endpoint& endpoint, Busy& busy, bool has_progress) const {
    const Flight& flight = busy.flight;
    const Learnt& learnt = learnt_of(endpoint);
    endpoint.alarm = Alarm::timeout;
    const bool is_waiting_for_window = flight.empty() && busy.flying_bytes < busy.written_bytes &&
                                       learnt.window_bytes < busy.flying_bytes + settings_.segment_bytes;
    if (flight.empty() && !is_waiting_for_window) {
        busy.resend_at = kNever;
        return;
    }
    const auto id = static_cast<std::uint32_t>(&endpoint - endpoints_.data());
    const Picoseconds from = last_tick(has_progress || flight.empty() ? now : flight[0].sent_at, network_.host_of(id));
    busy.resend_at = std::max(now, from + whole_ticks(timeout_of(learnt, endpoint.backoff, settings_)));
    if (!settings_.probes_tails || endpoint.state != SendState::open || flight.empty() || flight.sacked() > 0) return;
    if (flight.is_probed()) return;
    // tcp_schedule_loss_probe: a peer that delays its acknowledgement of a single segment is given time.
    const Picoseconds patience = flight.size() == 1 ? from_ns(settings_.least_timeout_ns) : least_wait();
    const Picoseconds wait = whole_ticks(2 * from_ns(learnt.srtt_ns) + patience);
    busy.resend_at = std::min(busy.resend_at, now + wait);
    endpoint.alarm = Alarm::probe;
}

void Tcp::keep_alarm(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    const Busy& busy = busy_of(endpoint);
    const bool has_more = busy.flying_bytes < busy.written_bytes || endpoint.state != SendState::open;
    const Picoseconds in_pace_at = this->in_pace_at(id);
    const bool is_pacing = in_pace_at > now && has_more;
    const Picoseconds next = std::min({busy.resend_at, busy.acknowledge_at, is_pacing ? in_pace_at : kNever});
    if (next >= endpoint.waking_at) return;
    endpoint.waking_at = next;
    timers_.push({next, Waking::connection, id});
}

void Tcp::wake(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    if (now != endpoint.waking_at) return;
    Busy& busy = wake_up(endpoint);  // which may look at when it was to be woken
    endpoint.waking_at = kNever;
    if (busy.acknowledge_at <= now) {
        endpoint.answers = false;  // tcp_delack_timer_handler: the answer did not come
        acknowledge(now, id);
    }
    if (busy.resend_at <= now) ring_resend(now, id);
    if (in_pace_at(id) == now) send_what_may_go(now, id);
    keep_alarm(now, id);
    rest(endpoint);
}

void Tcp::ring_resend(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    Busy& busy = wake_up(endpoint);
    switch (endpoint.alarm) {
        case Alarm::reordering:
            set_resend_alarm(now, endpoint, busy, true);
            look_for_losses(now, endpoint, busy);
            if (endpoint.state == SendState::recovery) pace_recovery(endpoint, busy.flight, 0, false);
            break;
        case Alarm::probe:
            probe_tail(now, id);
            return;
        case Alarm::timeout:
            if (busy.flying_bytes == 0) {  // the window is closed: ask (RFC 9293, 3.8.6.1)
                if (endpoint.backoff < kMostBackoff) ++endpoint.backoff;
                emit(now, id, endpoint.una - 1, 0);
            } else {
                start_loss(now, endpoint, busy);
            }
            set_resend_alarm(now, endpoint, busy, true);
            break;
    }
    send_what_may_go(now, id);
}

// RFC 8985, section 7: new data where there is some, else the last segment again.
void Tcp::probe_tail(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    Busy& busy = wake_up(endpoint);
    const std::uint32_t fresh = next_length(endpoint, busy);
    if (fresh > 0) {
        send_first(now, id, fresh);
    } else {
        send_again(now, id, busy.flight.size() - 1);
    }
    busy.flight.note_probe();
    set_resend_alarm(now, endpoint, busy, true);
}

}  // namespace clearway::simulator
