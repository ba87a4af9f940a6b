#include "recorder/sockets/connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "recorder/clock.hpp"
#include "recorder/process.hpp"
#include "recorder/sockets/job_descriptors.hpp"
#include "recorder/tick_rate.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint32_t kBufferSamples = 8;  // buffer sizes change slowly: read in one sample out of so many

int option(int fd, int level, int name) {
    int value = 0;
    socklen_t length = sizeof value;
    return getsockopt(fd, level, name, &value, &length) == 0 ? value : -1;
}

struct Endpoint {
    std::uint16_t family, port;
    std::uint8_t address[16];
};

Endpoint endpoint_of(const sockaddr_storage& storage) {
    Endpoint endpoint{};
    endpoint.family = storage.ss_family;
    if (storage.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
        endpoint.port = ntohs(v4.sin_port);
        std::memcpy(endpoint.address, &v4.sin_addr, sizeof v4.sin_addr);
    } else {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
        endpoint.port = ntohs(v6.sin6_port);
        std::memcpy(endpoint.address, &v6.sin6_addr, sizeof v6.sin6_addr);
    }
    return endpoint;
}

sockaddr_storage address_of(std::uint16_t family, const std::uint8_t (&address)[16]) {
    sockaddr_storage storage{};
    storage.ss_family = family;
    if (family == AF_INET)
        std::memcpy(&reinterpret_cast<sockaddr_in&>(storage).sin_addr, address, sizeof(in_addr));
    else
        std::memcpy(&reinterpret_cast<sockaddr_in6&>(storage).sin6_addr, address, sizeof(in6_addr));
    return storage;
}

bool read_endpoints(int fd, Endpoint& local, Endpoint& peer) {
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0) return false;
    peer = endpoint_of(storage);
    length = sizeof storage;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0) return false;
    local = endpoint_of(storage);
    return true;
}

// Zero in every field this kernel does not know. Returns the length it filled; 0 on failure.
std::size_t read_tcp_info(int fd, TcpInfo& info) {
    info = {};
    socklen_t length = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 ? length : 0;
}

std::uint16_t narrowed(std::uint32_t number) { return static_cast<std::uint16_t>(std::min(number, 0xFFFFU)); }

AckSample ack_sample(const TcpInfo& info, std::size_t length, std::uint64_t at_ns) {
    const auto before = [at_ns](std::uint32_t ms) { return at_ns - std::min(at_ns, std::uint64_t{1'000'000} * ms); };
    AckSample sample{};
    sample.at_ns = at_ns;
    sample.bytes_acked = info.bytes_acked;
    sample.last_ack_ns = before(info.last_ack_recv_ms);
    sample.busy_ns = std::uint64_t{1'000} * info.busy_time_us;
    sample.rto_ns = std::uint64_t{1'000} * info.rto_us;
    sample.rtt_ns = std::uint64_t{1'000} * info.rtt_us;
    sample.unacked = info.unacked;
    sample.total_retrans = info.total_retrans;
    sample.rto_time_ms = info.total_rto_time_ms;
    sample.timeouts = info.total_rto;
    sample.recoveries = info.total_rto_recoveries;
    sample.backoff = info.backoff;
    sample.in_loss_recovery = info.ca_state == kCaLoss;
    sample.timeouts_known = length >= kLengthWithTimeouts;
    return sample;
}

}  // namespace

bool is_tcp(int fd) {
    const int family = option(fd, SOL_SOCKET, SO_DOMAIN);
    return (family == AF_INET || family == AF_INET6) && option(fd, SOL_SOCKET, SO_PROTOCOL) == IPPROTO_TCP;
}

void Connection::begin(int fd) {
    *this = Connection{};
    fd_ = fd;
}

bool Connection::identify() {
    Endpoint local{}, peer{};
    if (!read_endpoints(open_fd_, local, peer)) return false;
    SocketCell cell{};
    cell.family = peer.family;
    cell.local_port = local.port;
    cell.peer_port = peer.port;
    std::memcpy(cell.local_address, local.address, sizeof cell.local_address);
    std::memcpy(cell.peer_address, peer.address, sizeof cell.peer_address);
    cell.first_ticks = ticks_;
    socklen_t length = sizeof cell.congestion;
    getsockopt(open_fd_, IPPROTO_TCP, TCP_CONGESTION, cell.congestion, &length);
    cell_ = process.sockets.add(process.file, cell, &index_);
    return cell_ != nullptr;
}

bool Connection::same_peer() const {
    Endpoint local{}, peer{};
    return read_endpoints(open_fd_, local, peer) && local.port == cell_->local_port && peer.port == cell_->peer_port &&
           std::memcmp(peer.address, cell_->peer_address, sizeof peer.address) == 0;
}

bool Connection::sample() {
    const JobDescriptor descriptor(fd_);
    open_fd_ = descriptor.get();
    TcpInfo info;
    ticks_ = now_ticks();
    at_ns_ = clock_ns(CLOCK_MONOTONIC);
    const std::size_t length = read_tcp_info(open_fd_, info);
    if (length == 0 || info.state == kTcpListen) return false;
    if (info.state == kTcpSynSent || info.state == kTcpSynReceived) return true;
    if (cell_ == nullptr && (info.state == kTcpClose || !identify())) return info.state != kTcpClose;
    // Closed behind our back, and the number given to another connection: its figures start again.
    if (info.bytes_acked < bytes_acked_ && !same_peer()) return false;
    bytes_acked_ = info.bytes_acked;
    path_bytes_ = narrowed(info.pmtu);
    fill(info, length);
    Stall stall{};
    const bool was_silent = tracker_.silent();
    const bool told = tracker_.observe(ack_sample(info, length, at_ns_), stall);
    if (tracker_.silent())
        listen(info, was_silent);
    else if (!was_silent)
        heard_ = sacked_ = in_flight_ = passed_ = vanished_ = 0;  // a stall between two samples: nothing was seen of it
    if (told) note_stall(stall);
    return true;
}

void Connection::finish() {
    if (used() && sample() && cell_ != nullptr) cell_->state = 0;
    forget();
}

void Connection::fill(const TcpInfo& info, std::size_t length) {
    SocketCell& cell = *cell_;
    cell.state = info.state;
    cell.last_ticks = ticks_;
    cell.bytes_sent = info.bytes_sent;
    cell.bytes_acked = info.bytes_acked;
    cell.bytes_received = info.bytes_received;
    cell.bytes_retrans = info.bytes_retrans;
    cell.busy_time_us = info.busy_time_us;
    cell.rwnd_limited_us = info.rwnd_limited_us;
    cell.sndbuf_limited_us = info.sndbuf_limited_us;
    cell.delivery_rate = info.delivery_rate;
    cell.segs_out = info.segs_out;
    cell.segs_in = info.segs_in;
    cell.total_retrans = info.total_retrans;
    cell.reordering = info.reordering;
    cell.rtt_us = info.rtt_us;
    cell.rttvar_us = info.rttvar_us;
    cell.min_rtt_us = info.min_rtt_us;
    cell.max_rtt_us = std::max(cell.max_rtt_us, info.rtt_us);
    cell.cwnd = info.snd_cwnd;
    cell.min_cwnd = cell.samples == 0 ? info.snd_cwnd : std::min(cell.min_cwnd, info.snd_cwnd);
    cell.max_cwnd = std::max(cell.max_cwnd, info.snd_cwnd);
    cell.mss = info.snd_mss;
    cell.rto_us = info.rto_us;
    cell.total_rto = info.total_rto;
    cell.total_rto_recoveries = info.total_rto_recoveries;
    cell.total_rto_time_ms = info.total_rto_time_ms;
    cell.dsack_dups = length >= kLengthWithDuplicates ? info.dsack_dups : ~0U;
    cell.reord_seen = info.reord_seen;
    cell.delivered_ce = info.delivered_ce;
    cell.held += holds_back(info);
    if (cell.samples % kBufferSamples == 0) {
        cell.send_buffer_bytes = static_cast<std::uint32_t>(std::max(0, option(open_fd_, SOL_SOCKET, SO_SNDBUF)));
        cell.receive_buffer_bytes = static_cast<std::uint32_t>(std::max(0, option(open_fd_, SOL_SOCKET, SO_RCVBUF)));
    }
    ++cell.samples;
}

// Whether TCP keeps back less than a segment until what is in flight is acknowledged (Nagle's algorithm), though window
// and congestion window would let it go. The peer may take 40 ms to acknowledge what it need not answer.
bool Connection::holds_back(const TcpInfo& info) const {
    return info.state == kTcpEstablished && info.notsent_bytes > 0 && info.notsent_bytes < info.snd_mss &&
           info.unacked > 0 && info.unacked < info.snd_cwnd &&
           (info.snd_wnd == 0 || info.snd_wnd / info.snd_mss > info.unacked) && info.retransmits == 0 &&
           option(open_fd_, IPPROTO_TCP, TCP_NODELAY) == 0;
}

// What comes in while nothing is acknowledged tells a way that lets some packets through from one that lets none.
void Connection::listen(const TcpInfo& info, bool was_silent) {
    if (!was_silent) {
        segs_in_before_ = info.segs_in;
        sacked_ = in_flight_ = passed_ = vanished_ = 0;
    }
    heard_ = info.segs_in - segs_in_before_;
    sacked_ = std::max(sacked_, narrowed(info.sacked));
    in_flight_ = std::max(in_flight_, narrowed(info.unacked));
}

void Connection::ask(std::optional<Echo>& echo) const {
    echo.emplace(address_of(cell_->family, cell_->local_address), address_of(cell_->family, cell_->peer_address),
                 path_bytes_);
}

void Connection::note(const SizeSearch& found) {
    passed_ = found.passed();
    vanished_ = found.lost();
}

void Connection::note_stall(const Stall& stall) {
    const auto ticks_at = [this](std::uint64_t ns) {
        return ns <= at_ns_ ? ticks_ - std::min(ticks_, to_ticks(at_ns_ - ns)) : ticks_ + to_ticks(ns - at_ns_);
    };
    const std::uint64_t begin_ticks = std::max(ticks_at(stall.begin_ns), cell_->first_ticks);
    const std::uint64_t end_ticks = std::max(ticks_at(stall.end_ns), begin_ticks);
    if (!stall_open_) {
        stall_open_ = true;
        open_stall_ticks_ = 0;
        open_stall_ = process.stalls.add(process.file, {index_, 0, 0, begin_ticks, begin_ticks, 0, 0, 0, 0});
        ++cell_->stalls;
    }
    if (open_stall_ != nullptr) {
        open_stall_->timeouts = narrowed(stall.timeouts);
        open_stall_->begin_ticks = begin_ticks;
        open_stall_->end_ticks = end_ticks;
        open_stall_->heard = narrowed(heard_);
        open_stall_->sacked = sacked_;
        open_stall_->in_flight = in_flight_;
        open_stall_->passed_bytes = passed_;
        open_stall_->vanished_bytes = vanished_;
    }
    cell_->stall_ticks += end_ticks - begin_ticks - open_stall_ticks_;
    open_stall_ticks_ = end_ticks - begin_ticks;
    stall_open_ = !stall.over;
}

}  // namespace clearway::recorder
