// TCP connections, and when they stalled. Part of a record: see layout.hpp.
#pragma once

#include <cstdint>

namespace clearway {

struct SocketCell {
    std::uint16_t family;  // AF_INET or AF_INET6
    std::uint16_t local_port, peer_port;
    std::uint16_t state;                               // TCP state of the newest sample; 0 after close
    std::uint8_t local_address[16], peer_address[16];  // network order; IPv4 in the first four bytes
    std::uint64_t first_ticks, last_ticks;             // of the samples
    // struct tcp_info, newest sample (include/uapi/linux/tcp.h); zero where this kernel does not tell
    std::uint64_t bytes_sent, bytes_acked, bytes_received, bytes_retrans;
    std::uint64_t busy_time_us, rwnd_limited_us, sndbuf_limited_us, delivery_rate;
    std::uint32_t segs_out, segs_in, total_retrans, reordering;
    std::uint32_t rtt_us, rttvar_us, min_rtt_us, max_rtt_us;  // max over samples
    std::uint32_t cwnd, min_cwnd, max_cwnd, mss;              // segments; over samples
    std::uint32_t rto_us, total_rto, total_rto_recoveries, total_rto_time_ms;
    std::uint32_t send_buffer_bytes, receive_buffer_bytes;  // SO_SNDBUF, SO_RCVBUF
    std::uint32_t samples;
    std::uint32_t stalls;       // StallRecords that name this cell (also those dropped)
    std::uint64_t stall_ticks;  // their sum
    char congestion[16];
    std::uint32_t dsack_dups;    // segments that the peer had got twice (RFC 2883); ~0: a kernel before 5.0
    std::uint32_t reord_seen;    // times that segments overtook each other
    std::uint32_t delivered_ce;  // segments that a switch had marked: its queue filled
    std::uint32_t held;          // samples in which a small segment waited only for an earlier one's acknowledgement
    std::uint8_t reserved[16];
};

// A connection had data in flight and heard no acknowledgement until a retransmission timeout ended it.
struct StallRecord {
    std::uint32_t socket;  // index of the SocketCell
    std::uint16_t timeouts;
    std::uint16_t heard;  // segments that came in meanwhile, and acknowledged nothing new
    std::uint64_t begin_ticks;
    std::uint64_t end_ticks;
    std::uint16_t sacked;     // segments beyond a gap that the peer has; the most of all samples (RFC 2018)
    std::uint16_t in_flight;  // segments; likewise
    // IP packets of the recorder's own, to the peer's host, which answers with a small one (sockets/echo.hpp); 0: none
    std::uint16_t passed_bytes;    // the largest that was answered
    std::uint16_t vanished_bytes;  // the smallest that was not, while smaller ones were
};

static_assert(sizeof(SocketCell) == 256);
static_assert(sizeof(StallRecord) == 32);

}  // namespace clearway
