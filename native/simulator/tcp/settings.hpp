// TCP as it is set up on the hosts. The defaults are Linux's, as far as they are modelled (docs/simulator.md).
#pragma once

#include <cstdint>

namespace clearway::simulator {

enum class Congestion : std::uint8_t { reno, cubic, dctcp };

// How the minimum enters the retransmission timeout.
enum class TimeoutRule : std::uint8_t {
    linux,    // SRTT + max(4 RTTVAR, minimum): net/ipv4/tcp_input.c, tcp_rtt_estimator
    rfc6298,  // max(SRTT + 4 RTTVAR, minimum)
};

inline constexpr std::uint64_t kMostBufferBytes = std::uint64_t{1} << 30;  // of a socket, in each direction

struct TcpSettings {
    std::uint32_t segment_bytes = 1448;
    std::uint32_t initial_window = 10;    // segments: RFC 6928
    std::uint64_t send_buffer_bytes = 0;  // as the program sets it (SO_SNDBUF); 0: it grows with the window
    std::uint64_t receive_buffer_bytes = 6 << 20;
    std::uint64_t least_timeout_ns = 200'000'000;
    std::uint64_t most_timeout_ns = 120'000'000'000;
    std::uint64_t tick_ns = 4'000'000;  // of the kernel's timers: CONFIG_HZ=250
    bool own_ticks = false;             // timers expire with a tick, and hosts tick at different moments
    std::uint64_t delayed_ack_ns = 40'000'000;
    std::uint32_t ack_segments = 0;      // acknowledges each so many, of any length; 0: more than a full one, as Linux
    std::uint32_t quick_acks = 16;       // segments acknowledged at once when a connection is young or was idle
    std::uint64_t card_queue_bytes = 0;  // of the kernel's memory, before the card: small queues; 0: any number
    // Linux before 3.13: the window grows by one segment for each acknowledgement, however much that covers, and only
    // where it was full (tcp_cong_avoid).
    bool counts_acks = false;
    // FACK, in Linux from 2.2 to 4.14: what lies three segments before the last one reported is lost, whatever is
    // known of those between; without it, three of them must have arrived.
    bool forward_acks = false;
    bool restarts_after_idle = true;     // RFC 2861: net.ipv4.tcp_slow_start_after_idle
    bool probes_tails = true;            // a tail loss probe, and RACK's timer: RFC 8985
    bool has_hystart = true;             // with CUBIC: slow start ends before it loses packets
    bool has_ecn = false;                // RFC 3168: marked packets halve the window
    std::uint64_t most_bytes_per_s = 0;  // of a connection (SO_MAX_PACING_RATE): it paces itself; 0: it does not
    TimeoutRule timeout_rule = TimeoutRule::linux;
    Congestion congestion = Congestion::cubic;
};

}  // namespace clearway::simulator
