// How much a program may write before it has to wait: tcp_sndbuf_expand and tcp_should_expand_sndbuf of
// net/ipv4/tcp_input.c. A program that sets the size itself has it for ever.
#include <algorithm>
#include <bit>

#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

namespace {

constexpr std::uint64_t kMostSendBuffer = 4 << 20;  // the third figure of net.ipv4.tcp_wmem
constexpr std::uint64_t kHeaders = 320 + 320;       // MAX_TCP_HEADER and skb_shared_info, on x86-64
constexpr std::uint64_t kPacketBuffer = 256;        // sk_buff
constexpr float kLeastWindow = 10;                  // TCP_INIT_CWND
constexpr std::uint64_t kSpare = 2;                 // for fast retransmits: what tcp_congestion_ops leave as it is

// What the kernel counts for a segment.
std::uint64_t kernel_memory_of(std::uint32_t segment_bytes) {
    return std::bit_ceil(segment_bytes + kHeaders) + kPacketBuffer;
}

}  // namespace

std::uint64_t Tcp::send_buffer_bytes(std::uint32_t id) const {
    if (settings_.send_buffer_bytes != 0) return settings_.send_buffer_bytes;
    const auto segments = static_cast<std::uint64_t>(std::max(kLeastWindow, learnt_of(endpoints_[id]).buffered_window));
    return std::min(kMostSendBuffer, kSpare * segments * kernel_memory_of(settings_.segment_bytes));
}

// Something was acknowledged. The buffer grows where the window has room for more than the program could write.
void Tcp::tell_of_room(Picoseconds now, std::uint32_t id) {
    Endpoint& endpoint = endpoints_[id];
    const Learnt& known = learnt_of(endpoint);
    const float in_flight =
        static_cast<float>(busy_of(endpoint).flying_bytes) / static_cast<float>(settings_.segment_bytes);
    if (in_flight < known.window && known.window > known.buffered_window)
        learnt_by(endpoint).buffered_window = known.window;
    user_->can_write(now, id);
}

}  // namespace clearway::simulator
