#include "simulator/rdma/rdma.hpp"

#include <algorithm>
#include <utility>

namespace clearway::simulator {

namespace {

// What stands in Packet::window, for there are no windows: which packet it is.
constexpr std::uint16_t kMiddle = 0, kLast = 1, kAcknowledgement = 2, kNotification = 3;

constexpr Picoseconds kLongAgo = -3'600 * kSecond;

constexpr std::uint64_t kMostMessage = std::uint64_t{1} << 30;

}  // namespace

Rdma::Rdma(const RdmaSettings& settings, Network& network, Timers& timers)
    : settings_(settings), network_(network), timers_(timers), turns_(network.topology().hosts) {
    network.take_from(this);
}

std::uint32_t Rdma::connect(std::uint32_t host, std::uint32_t peer_host) {
    const auto id = static_cast<std::uint32_t>(ends_.size());
    ends_.resize(id + 2);
    if (settings_.has_dcqcn) place_of_.resize(id + 2, kNeverCongested);
    network_.add_endpoint(host);
    network_.add_endpoint(peer_host);
    return id;
}

// A short message that nothing is before has been copied; any other is the program's until it is acknowledged.
std::uint64_t Rdma::write(Picoseconds now, std::uint32_t id, std::uint64_t bytes) {
    End& end = ends_[id];
    const std::uint64_t fresh = bytes - (end.posted - end.taken);
    if (fresh > 0) {
        const bool is_copied = fresh <= settings_.most_copied_bytes && end.complete == end.posted;
        const bool has_turn = end.sent < end.posted;
        for (std::uint64_t left = fresh; left > 0;) {
            const std::uint64_t message = std::min(left, kMostMessage);
            end.posted += message;
            end.unsent.push(end.posted);
            left -= message;
        }
        if (is_copied) end.complete = end.posted;
        const std::uint32_t host = network_.host_of(id);
        if (!has_turn) turns_[host].push(id);
        network_.look_for_more(now, host);
    }
    return end.complete - std::exchange(end.taken, end.complete);
}

bool Rdma::next_packet(Picoseconds now, std::uint32_t host, Packet& packet) {
    Ring<std::uint32_t>& turns = turns_[host];
    while (!turns.empty() && has_to_wait(now, turns.front())) turns.pop();
    if (turns.empty()) return false;
    const std::uint32_t id = turns.front();
    turns.pop();
    End& end = ends_[id];
    const std::uint64_t left = end.unsent.front() - end.sent;
    const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, settings_.mtu_bytes));
    packet = {};
    packet.to = peer_of(id);
    packet.sequence = static_cast<std::uint32_t>(end.sent);
    packet.length = length & 0x3FFFU;
    packet.window = length == left ? kLast : kMiddle;
    end.sent += length;
    ++counts_.segments;
    if (is_congested(id)) {
        const Framing& framing = network_.framing();
        congested(id).limiter.sent(now, bytes_in_buffer(framing, packet) + framing.gap_bytes, settings_.dcqcn);
    }
    if (length == left) end.unsent.pop();
    if (end.sent < end.posted) turns.push(id);
    return true;
}

void Rdma::arrive(Picoseconds now, const Packet& packet) {
    const std::uint32_t id = packet.to;
    if (packet.window == kNotification) return congested(id).limiter.notified(now, settings_.dcqcn);
    if (packet.window == kAcknowledgement) return complete(now, id, widen(ends_[id].complete, packet.acknowledged));
    if (settings_.has_dcqcn && packet.has_met_congestion != 0) met_congestion(now, id);
    if (packet.window == kMiddle) return;
    ends_[id].received = widen(ends_[id].received, packet.sequence) + packet.length;
    ++counts_.acknowledgements;
    answer(now, id, kAcknowledgement);
    user_->can_read(now, id);
}

void Rdma::answer(Picoseconds now, std::uint32_t id, std::uint16_t kind) {
    Packet packet{};
    packet.to = peer_of(id);
    packet.acknowledged = static_cast<std::uint32_t>(ends_[id].received);
    packet.window = kind;
    network_.send(now, network_.host_of(id), packet);
}

// It is its turn again when its rate lets it send.
bool Rdma::has_to_wait(Picoseconds now, std::uint32_t id) {
    if (!is_congested(id)) return false;
    const RateLimiter& limiter = congested(id).limiter;
    if (!limiter.is_limited() || limiter.free_at() <= now) return false;
    timers_.push({limiter.free_at(), Waking::connection, id});
    return true;
}

void Rdma::wake(Picoseconds now, std::uint32_t id) {
    const std::uint32_t host = network_.host_of(id);
    turns_[host].push(id);
    network_.look_for_more(now, host);
}

Rdma::Congested& Rdma::congested(std::uint32_t id) {
    if (place_of_[id] == kNeverCongested) {
        place_of_[id] = static_cast<std::uint32_t>(congested_.size());
        const std::uint64_t line_bps = network_.topology().links[network_.host_of(id)].settings.rate_bps;
        congested_.push_back({RateLimiter{static_cast<double>(line_bps)}, kLongAgo});
    }
    return congested_[place_of_[id]];
}

// The paper's notification point.
void Rdma::met_congestion(Picoseconds now, std::uint32_t id) {
    Congested& end = congested(id);
    if (now - end.notified_at < from_ns(settings_.dcqcn.notification_ns)) return;
    end.notified_at = now;
    answer(now, id, kNotification);
}

void Rdma::complete(Picoseconds now, std::uint32_t id, std::uint64_t position) {
    if (position <= ends_[id].complete) return;
    ends_[id].complete = position;
    user_->can_write(now, id);
}

}  // namespace clearway::simulator
