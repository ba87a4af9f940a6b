// All TCP connections of the simulated hosts.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "simulator/events/timers.hpp"
#include "simulator/network/network.hpp"
#include "simulator/pool.hpp"
#include "simulator/tcp/endpoint.hpp"
#include "simulator/tcp/hystart.hpp"
#include "simulator/tcp/round_trip.hpp"
#include "simulator/tcp/settings.hpp"
#include "simulator/transport.hpp"

namespace clearway::simulator {

class Tcp final : public Transport {
public:
    Tcp(const TcpSettings& settings, Network& network, Timers& timers);

    void charge(PacketCost* packets, bool is_relayed) override {
        packet_cost_ = packets;
        network_.charge(packets, is_relayed);
    }

    void reserve(std::uint64_t endpoints) override {
        endpoints_.reserve(endpoints);
        learnt_.reserve(endpoints + kHandshakes);
    }

    // With the round trip that its handshake has measured.
    std::uint32_t connect(std::uint32_t host, std::uint32_t peer_host) override;

    // What the send buffer has room for is taken.
    std::uint64_t write(Picoseconds now, std::uint32_t endpoint, std::uint64_t bytes) override;
    std::uint64_t written(std::uint32_t endpoint) const override {
        return endpoints_[endpoint].una + written_bytes(endpoints_[endpoint]);
    }

    std::uint64_t received(std::uint32_t endpoint) const override { return endpoints_[endpoint].received; }
    std::uint64_t has_read(std::uint32_t endpoint) const {
        return endpoints_[endpoint].received - busy_of(endpoints_[endpoint]).unread_bytes;
    }
    void read(Picoseconds now, std::uint32_t endpoint) override;
    std::uint64_t send_buffer_bytes(std::uint32_t endpoint) const;

    void arrive(Picoseconds now, const Packet& packet) override;
    void left_card(Picoseconds now, const Packet& packet) override;
    void wake(Picoseconds now, std::uint32_t endpoint) override;

    const Endpoint& endpoint(std::uint32_t endpoint) const { return endpoints_[endpoint]; }
    const Learnt& learnt(std::uint32_t endpoint) const { return learnt_of(endpoints_[endpoint]); }

private:
    static const Busy kIdle;
    static constexpr std::size_t kHandshakes = 16;  // that take so long or so long: more are rare

    // send_buffer.cpp
    void tell_of_room(Picoseconds now, std::uint32_t id);

    // send.cpp
    void send_what_may_go(Picoseconds now, std::uint32_t id);
    std::uint32_t next_length(const Endpoint& endpoint, const Busy& busy) const;
    bool has_room_before_card(std::uint32_t id, bool is_again) const;
    double own_bytes_per_s(const Learnt& learnt, const Flight& flight) const;
    void send_first(Picoseconds now, std::uint32_t id, std::uint32_t length);
    void send_again(Picoseconds now, std::uint32_t id, std::uint32_t i);
    void emit(Picoseconds now, std::uint32_t id, std::uint64_t begin, std::uint32_t length);
    void acknowledge(Picoseconds now, std::uint32_t id);
    Picoseconds in_pace_at(std::uint32_t id) const { return in_pace_at_.empty() ? 0 : in_pace_at_[id]; }
    void keep_pace(Picoseconds now, std::uint32_t id, std::uint32_t length);
    static void note_limits(Endpoint& endpoint, Flight& flight, bool is_limited);
    void restart_after_idle(Picoseconds now, Endpoint& endpoint);

    // acknowledged.cpp
    void take_acknowledgement(Picoseconds now, std::uint32_t id, const Packet& packet);
    Delivery note_arrivals(Picoseconds now, const Endpoint& endpoint, Busy& busy, const Packet& packet,
                           std::uint64_t position) const;
    void measure(Picoseconds now, Endpoint& endpoint, const Busy& busy, const Delivery& delivery,
                 std::uint64_t una_before);
    void grow_window(Picoseconds now, Endpoint& endpoint, const Flight& flight, std::uint32_t acked);
    void grow_window_by_one(Picoseconds now, Endpoint& endpoint, std::uint32_t before);
    void heed_echo(Endpoint& endpoint, const Busy& busy);

    // slow_start.cpp
    void note_round(Learnt& learnt, std::uint64_t una_before);
    static bool has_hystart(const Learnt& learnt);
    static bool stays_small(const Learnt& learnt, const Busy& busy, std::uint32_t segments);
    static void keep_round_end(Learnt& learnt, const Endpoint& endpoint, const Busy& busy, std::uint64_t round_end);
    bool slow_start_ends(Picoseconds now, Endpoint& endpoint, const Busy& busy, std::uint64_t una_before,
                         std::uint32_t segments, std::uint32_t round_trip_ns);

    // recovery.cpp
    void look_for_losses(Picoseconds now, Endpoint& endpoint, Busy& busy);
    void start_recovery(Picoseconds now, Endpoint& endpoint, Busy& busy);
    void pace_recovery(Endpoint& endpoint, const Flight& flight, std::uint32_t delivered, bool has_progress);
    void end_recovery(Endpoint& endpoint);
    void start_loss(Picoseconds now, Endpoint& endpoint, Busy& busy);

    // receive.cpp
    void tell_of_marks(Picoseconds now, std::uint32_t id, const Packet& packet);
    bool take_data(Picoseconds now, Endpoint& endpoint, Busy& busy, const Packet& packet);
    void decide_acknowledgement(Picoseconds now, std::uint32_t id, bool is_urgent);

    // alarms.cpp
    Picoseconds whole_ticks(Picoseconds time) const;
    Picoseconds last_tick(Picoseconds time, std::uint32_t host) const;
    Picoseconds least_wait() const;
    void set_resend_alarm(Picoseconds now, Endpoint& endpoint, Busy& busy, bool has_progress) const;
    void keep_alarm(Picoseconds now, std::uint32_t id);
    void ring_resend(Picoseconds now, std::uint32_t id);
    void probe_tail(Picoseconds now, std::uint32_t id);

    const Learnt& learnt_of(const Endpoint& endpoint) const { return learnt_[endpoint.learnt]; }
    Learnt& learnt_by(Endpoint& endpoint) { return endpoint.has_learnt ? learnt_[endpoint.learnt] : learns(endpoint); }
    Learnt& learns(Endpoint& endpoint);
    std::uint32_t learnt_from_handshake(Picoseconds round_trip);
    Picoseconds timeout(const Endpoint& endpoint) const {
        return timeout_of(learnt_of(endpoint), endpoint.backoff, settings_);
    }

    // Of an endpoint that is awake, or of which only is asked what it has received.
    const Busy& busy_of(const Endpoint& endpoint) const {
        return endpoint.busy >= kLoneSegment ? kIdle : busy_[endpoint.busy];
    }
    static std::uint32_t lone_bytes(const Endpoint& endpoint) {
        return is_lone(endpoint.busy) ? bytes_of_lone(endpoint.busy) : 0;
    }
    // From una.
    std::uint32_t written_bytes(const Endpoint& endpoint) const {
        return endpoint.busy >= kLoneSegment ? lone_bytes(endpoint) : busy_[endpoint.busy].written_bytes;
    }
    Busy& wake_up(Endpoint& endpoint) {
        return endpoint.busy < kLoneSegment ? busy_[endpoint.busy] : wake_up_from_rest(endpoint);
    }
    Busy& wake_up_from_rest(Endpoint& endpoint);
    void rest(Endpoint& endpoint);
    Trouble& trouble_of(Endpoint& endpoint);
    Trouble* trouble_or_none(const Endpoint& endpoint);
    const Trouble* trouble_or_none(const Endpoint& endpoint) const;

    TcpSettings settings_;
    Network& network_;
    Timers& timers_;
    PacketCost* packet_cost_ = nullptr;  // none: packets cost nothing
    std::vector<Endpoint> endpoints_;
    std::vector<Picoseconds> in_pace_at_;    // by endpoint, not sooner; empty where connections are not paced
    std::vector<std::uint32_t> card_bytes_;  // by endpoint: before its own card; empty where there may be any number
    Pool<Busy> busy_;
    std::vector<Learnt> learnt_;  // has room for all that there may be: whoever learns moves no other
    std::unordered_map<Picoseconds, std::uint32_t> shared_learnt_;  // by the round trip of the handshake
    Pool<HyStart> hystarts_;
    std::deque<Trouble> troubles_;
};

}  // namespace clearway::simulator
