#include "simulator/record/socket_cells.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cstdio>

namespace clearway::simulator {

namespace {

constexpr std::uint32_t kFirstPort = 1024;
constexpr std::uint32_t kPorts = 64'000;
constexpr std::uint64_t kMicrosecond_ns = 1'000;

// Host h is 10.x.y.z with xyz = h + 1.
void set_address(std::uint8_t (&address)[16], std::uint32_t host) {
    const std::uint32_t number = host + 1;
    address[0] = 10;
    address[1] = static_cast<std::uint8_t>(number >> 16);
    address[2] = static_cast<std::uint8_t>(number >> 8);
    address[3] = static_cast<std::uint8_t>(number);
}

// Each end of a connection has a port of its own, made from the endpoint's number.
std::uint16_t port_of(std::uint32_t endpoint) { return static_cast<std::uint16_t>(kFirstPort + endpoint % kPorts); }

std::uint32_t segments(float window) { return std::max(1U, static_cast<std::uint32_t>(window)); }

SocketCell cell_of(const FinishedJob& job, std::uint32_t endpoint, std::uint32_t rank, std::uint32_t peer) {
    const schedule::Placement& placement = job.scenario.placement;
    const ConnectionSeen& seen = job.connections.of(endpoint);
    const Endpoint& state = job.machine.tcp().endpoint(endpoint);
    const Learnt& learnt = job.machine.tcp().learnt(endpoint);
    SocketCell cell{};
    cell.family = AF_INET;
    cell.local_port = port_of(endpoint);
    cell.peer_port = port_of(Tcp::peer_of(endpoint));
    set_address(cell.local_address, placement.host_of_rank[rank]);
    set_address(cell.peer_address, placement.host_of_rank[peer]);
    cell.first_ticks = ticks(seen.first == kNever ? 0 : seen.first);
    cell.last_ticks = ticks(seen.last);
    cell.bytes_sent = seen.bytes_sent;
    cell.bytes_acked = state.una;
    cell.bytes_received = state.received;
    cell.bytes_retrans = seen.bytes_resent;
    cell.segs_out = seen.segments_sent;
    cell.segs_in = seen.segments_received;
    cell.total_retrans = seen.segments_resent;
    cell.rtt_us = cell.min_rtt_us = cell.max_rtt_us = static_cast<std::uint32_t>(learnt.srtt_ns / kMicrosecond_ns);
    cell.cwnd = cell.min_cwnd = cell.max_cwnd = segments(learnt.window);
    cell.mss = job.scenario.tcp.segment_bytes;
    cell.total_rto = seen.timeouts;
    cell.send_buffer_bytes = static_cast<std::uint32_t>(job.machine.tcp().send_buffer_bytes(endpoint));
    cell.receive_buffer_bytes = static_cast<std::uint32_t>(job.scenario.tcp.receive_buffer_bytes);
    cell.samples = 1;
    cell.stalls = static_cast<std::uint32_t>(seen.stalls.size());
    for (const Stall& stall : seen.stalls) cell.stall_ticks += to_ns(stall.end - stall.begin);
    std::snprintf(cell.congestion, sizeof cell.congestion, "%s", name_of(job.scenario.tcp.congestion));
    return cell;
}

}  // namespace

Sockets sockets_of(const FinishedJob& job, std::uint32_t rank) {
    Sockets sockets;
    if (job.scenario.has_rdma()) return sockets;  // queue pairs are none
    const std::uint32_t ranks = schedule::ranks_of(job.scenario.placement);
    for (std::uint32_t peer = 0; peer < ranks; ++peer) {
        const std::uint32_t endpoint = job.machine.messages().socket_between(rank, peer);
        if (endpoint == kNoItem) continue;
        for (const Stall& stall : job.connections.of(endpoint).stalls)
            sockets.stalls.push_back({static_cast<std::uint32_t>(sockets.cells.size()),
                                      static_cast<std::uint16_t>(std::min(stall.timeouts, 0xFFFFU)), 0,
                                      ticks(stall.begin), ticks(stall.end), 0, 0, 0, 0});
        sockets.cells.push_back(cell_of(job, endpoint, rank, peer));
    }
    return sockets;
}

}  // namespace clearway::simulator
