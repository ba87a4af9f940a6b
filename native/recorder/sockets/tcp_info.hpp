// struct tcp_info as the kernel of today fills it (include/uapi/linux/tcp.h). Kernels know prefixes of it, and
// the system's header often fewer fields than its kernel: hence a copy of our own, and the length that came back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clearway::recorder {

struct TcpInfo {
    std::uint8_t state, ca_state, retransmits, probes, backoff, options;
    std::uint8_t window_scales;       // two of 4 bits
    std::uint8_t rate_limited_flags;  // bit fields
    std::uint32_t rto_us, ato_us, snd_mss, rcv_mss;
    std::uint32_t unacked, sacked, lost, retrans, fackets;  // segments
    std::uint32_t last_data_sent_ms, last_ack_sent_ms, last_data_recv_ms, last_ack_recv_ms;
    std::uint32_t pmtu, rcv_ssthresh, rtt_us, rttvar_us, snd_ssthresh, snd_cwnd, advmss, reordering;
    std::uint32_t rcv_rtt_us, rcv_space;
    std::uint32_t total_retrans;
    std::uint64_t pacing_rate, max_pacing_rate;
    std::uint64_t bytes_acked, bytes_received;  // since Linux 4.1
    std::uint32_t segs_out, segs_in;
    std::uint32_t notsent_bytes, min_rtt_us, data_segs_in, data_segs_out;
    std::uint64_t delivery_rate;
    std::uint64_t busy_time_us, rwnd_limited_us, sndbuf_limited_us;  // 4.10
    std::uint32_t delivered, delivered_ce;
    std::uint64_t bytes_sent, bytes_retrans;  // 4.19
    std::uint32_t dsack_dups, reord_seen, rcv_ooopack, snd_wnd, rcv_wnd, rehash;
    std::uint16_t total_rto, total_rto_recoveries;  // 6.7
    std::uint32_t total_rto_time_ms;
};

static_assert(offsetof(TcpInfo, rto_us) == 8);
static_assert(offsetof(TcpInfo, total_retrans) == 100);
static_assert(offsetof(TcpInfo, bytes_acked) == 120);
static_assert(offsetof(TcpInfo, delivery_rate) == 160);
static_assert(offsetof(TcpInfo, bytes_sent) == 200);
static_assert(offsetof(TcpInfo, total_rto) == 240);
static_assert(sizeof(TcpInfo) == 248);

inline constexpr std::size_t kLengthWithDuplicates = offsetof(TcpInfo, rcv_ooopack);
inline constexpr std::size_t kLengthWithTimeouts = sizeof(TcpInfo);

enum TcpState : std::uint8_t {
    kTcpEstablished = 1,
    kTcpSynSent = 2,
    kTcpSynReceived = 3,
    kTcpClose = 7,
    kTcpListen = 10
};
inline constexpr std::uint8_t kCaLoss = 4;  // recovering from a retransmission timeout

}  // namespace clearway::recorder
