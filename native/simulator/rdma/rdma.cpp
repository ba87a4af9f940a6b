#include "simulator/rdma/rdma.hpp"

#include <algorithm>
#include <utility>

namespace clearway::simulator {

namespace {

// What stands in Packet::window, for there are no windows: which packet it is.
constexpr std::uint16_t kMiddle = 0, kLast = 1, kAcknowledgement = 2;

constexpr std::uint64_t kMostMessage = std::uint64_t{1} << 30;

}  // namespace

Rdma::Rdma(const RdmaSettings& settings, Network& network)
    : settings_(settings), network_(network), turns_(network.topology().hosts) {
    network.take_from(this);
}

std::uint32_t Rdma::connect(std::uint32_t host, std::uint32_t peer_host) {
    const auto id = static_cast<std::uint32_t>(ends_.size());
    ends_.resize(id + 2);
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

bool Rdma::next_packet(Picoseconds, std::uint32_t host, Packet& packet) {
    Ring<std::uint32_t>& turns = turns_[host];
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
    if (length == left) end.unsent.pop();
    if (end.sent < end.posted) turns.push(id);
    return true;
}

void Rdma::arrive(Picoseconds now, const Packet& packet) {
    const std::uint32_t id = packet.to;
    if (packet.window == kAcknowledgement) return complete(now, id, widen(ends_[id].complete, packet.acknowledged));
    if (packet.window == kMiddle) return;
    ends_[id].received = widen(ends_[id].received, packet.sequence) + packet.length;
    acknowledge(now, id);
    user_->can_read(now, id);
}

void Rdma::acknowledge(Picoseconds now, std::uint32_t id) {
    Packet packet{};
    packet.to = peer_of(id);
    packet.acknowledged = static_cast<std::uint32_t>(ends_[id].received);
    packet.window = kAcknowledgement;
    ++counts_.acknowledgements;
    network_.send(now, network_.host_of(id), packet);
}

void Rdma::complete(Picoseconds now, std::uint32_t id, std::uint64_t position) {
    if (position <= ends_[id].complete) return;
    ends_[id].complete = position;
    user_->can_write(now, id);
}

}  // namespace clearway::simulator
