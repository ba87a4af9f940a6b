// Hand-worked: packets of 1,280 bytes are 20 blocks, and take 10.24 µs at 1 Gbit/s. Cables take 3 µs, and a flow
// control packet 64 ns besides.
#include "simulator/network/credited.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "simulator/network/network.hpp"

namespace clearway::simulator {
namespace {

constexpr Framing kFraming{
    .header_bytes = 0, .sack_bytes = 0, .frame_bytes = 0, .least_frame_bytes = 0, .gap_bytes = 0};
constexpr LinkSettings kLink{.rate_bps = 1'000'000'000, .latency_ns = 3'000};
constexpr std::uint32_t kBytes = 1'280;
constexpr std::uint64_t kPacket_ns = 10'240, kHop_ns = kPacket_ns + 3'000, kCredit_ns = 64 + 3'000;

// Counts packets of each sender, whose number is in their sequence, and those that a switch holds.
class Counter final : public Watcher {
public:
    explicit Counter(const Topology& topology) : topology_(topology) {}

    void saw(Happening happening, Picoseconds now, std::uint32_t link, const Packet& packet) override {
        if (happening != Happening::hop) return;
        if (topology_.links[link].to_node >= topology_.hosts) {
            if (link < topology_.hosts) most_held_ = std::max(most_held_, ++held_[packet.sequence]);
            return;
        }
        --held_[packet.sequence];
        ++arrived_[packet.sequence];
        last_[packet.sequence] = now;
    }
    int most_held() const { return most_held_; }
    int arrived(std::uint32_t from) { return arrived_[from]; }
    Picoseconds last(std::uint32_t from) { return last_[from]; }

private:
    const Topology& topology_;
    std::map<std::uint32_t, int> held_, arrived_;
    std::map<std::uint32_t, Picoseconds> last_;
    int most_held_ = 0;
};

Network network_of(Topology topology) {
    topology.has_credits = true;
    Network network(topology, kFraming);
    for (std::uint32_t host = 0; host < topology.hosts; ++host) network.add_endpoint(host);
    return network;
}

Network star(std::uint32_t hosts, std::uint64_t packets, std::uint64_t port_latency_ns = 3'000) {
    LinkSettings port = kLink;
    port.buffer_bytes = packets * kBytes;
    port.latency_ns = port_latency_ns;
    return network_of(one_switch(hosts, {kLink, port}, {}));
}

void send(Network& network, std::uint32_t from, std::uint32_t to, int packets) {
    Packet packet{};
    packet.to = to;
    packet.length = kBytes;
    packet.sequence = from;
    for (int i = 0; i < packets; ++i) network.send(0, from, packet);
}

Picoseconds drain(Network& network, Picoseconds until = kNever) {
    Picoseconds last = 0;
    while (network.next_time() < until) {
        last = network.next_time();
        network.step();
    }
    return last;
}

Picoseconds last_arrival(Network& network) {
    Picoseconds last = 0;
    while (network.next_time() != kNever) {
        const Picoseconds now = network.next_time();
        if (network.step().is_at_host) last = now;
    }
    return last;
}

TEST(Credited, BlocksAreOf64Bytes) {
    EXPECT_EQ(credit_blocks(64), 1U);
    EXPECT_EQ(credit_blocks(65), 2U);
    EXPECT_EQ(credit_blocks(2'074), 33U);
}

// The switch has room for one. It comes there after 13.24 µs, has left 10.24 µs later, and its credit comes back.
TEST(Credited, APacketWaitsForTheCreditOfTheOneBefore) {
    Network network = star(2, 1);
    send(network, 0, 1, 3);
    EXPECT_EQ(last_arrival(network), from_ns(2 * (kHop_ns + kPacket_ns + kCredit_ns) + 2 * kHop_ns));
}

TEST(Credited, WithRoomForThreePacketsFollowOneAnother) {
    Network network = star(2, 3);
    send(network, 0, 1, 50);
    EXPECT_EQ(last_arrival(network), from_ns(50 * kPacket_ns + kHop_ns + 3'000));
}

// Ports without latency: what has come from a port has left its switch's memory just then.
TEST(Credited, NoBufferHoldsMoreThanItsCredits) {
    Network network = star(5, 4, 0);
    Counter counter(network.topology());
    network.watch(&counter);
    for (std::uint32_t host = 1; host < 5; ++host) send(network, host, 0, 100);
    drain(network);
    EXPECT_EQ(counter.most_held(), 4);
    EXPECT_EQ(network.counts().arrived, 400U);
    EXPECT_EQ(network.counts().drops, 0U);
}

TEST(Credited, FlowsIntoOnePortGetEqualShares) {
    Network network = star(5, 4);
    Counter counter(network.topology());
    network.watch(&counter);
    for (std::uint32_t host = 1; host < 5; ++host) send(network, host, 0, 100);
    drain(network, from_ns(200 * kPacket_ns));
    for (std::uint32_t host = 1; host < 5; ++host) EXPECT_NEAR(counter.arrived(host), 50, 1);
}

// Hosts 0 and 1 reach the others through one link. Host 0 sends to 4, as 2 and 3 do: each has a third of 4's port. Host
// 1 sends to 5, where nobody else does; but its packets wait in turn behind those of host 0 that wait for credits, so
// it gets no more than that one. Without 2 and 3 both have what their cards carry.
TEST(Credited, CongestionSpreadsToAVictim) {
    const auto time_of_victim = [](bool is_congested) {
        LinkSettings port = kLink;
        port.buffer_bytes = std::uint64_t{8} * kBytes;
        LinkSettings uplink = port;
        uplink.rate_bps = 10 * kLink.rate_bps;
        Network network = network_of(switch_of_switches({0, 0, 1, 1, 1, 1}, {kLink, port}, {uplink, uplink}, {}));
        Counter counter(network.topology());
        network.watch(&counter);
        send(network, 0, 4, 600);
        send(network, 1, 5, 300);
        for (const std::uint32_t host : {2U, 3U}) send(network, host, 4, is_congested ? 600 : 0);
        drain(network);
        EXPECT_EQ(counter.arrived(1), 300);
        return static_cast<double>(counter.last(1)) / static_cast<double>(from_ns(300 * kPacket_ns));
    };
    EXPECT_NEAR(time_of_victim(false), 1, 0.02);
    EXPECT_NEAR(time_of_victim(true), 3, 0.1);
}

// Small buffers of a ring of groups: each is full of what waits for the next one's. With one lane they wait for ever.
TEST(Credited, ADragonflyNeedsItsSecondLane) {
    const auto arrived = [](bool has_lanes) {
        LinkSettings port = kLink;
        port.buffer_bytes = 2 * kBytes;
        Topology topology = dragonfly(36, {2, 2, 4}, {kLink, port}, port, {});
        if (!has_lanes) topology.group_of_node.clear();
        Network network = network_of(topology);
        for (int i = 0; i < 20; ++i)
            for (std::uint32_t from = 0; from < 36; ++from)
                for (std::uint32_t to = 0; to < 36; ++to)
                    if (from != to) send(network, from, to, 1);
        drain(network);
        return network.counts().arrived;
    };
    EXPECT_EQ(arrived(true), 20U * 36 * 35);
    EXPECT_LT(arrived(false), 20U * 36 * 35);
}

}  // namespace
}  // namespace clearway::simulator
