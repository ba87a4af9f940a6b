// Hand-worked: frames of 1,500 bytes take 12 µs at 1 Gbit/s, and 3 µs along the cable.
#include "simulator/network/lossless.hpp"

#include <gtest/gtest.h>

#include "simulator/network/flow_control.hpp"
#include "simulator/network/network.hpp"

namespace clearway::simulator {
namespace {

constexpr Framing kFraming{.sack_bytes = 0, .frame_bytes = 0, .least_frame_bytes = 0, .gap_bytes = 0};
constexpr LinkSettings kLink{.rate_bps = 1'000'000'000, .latency_ns = 3'000};
constexpr std::uint32_t kSegmentBytes = 1'448;

Network star(std::uint64_t port_bytes, std::uint64_t stop_bytes) {
    LinkSettings card = kLink;
    card.stop_bytes = stop_bytes;
    LinkSettings port = kLink;
    port.buffer_bytes = port_bytes;
    Topology topology = one_switch(3, {card, port}, {});
    topology.is_lossless = true;
    Network network(topology, kFraming);
    for (std::uint32_t host = 0; host < 3; ++host) network.add_endpoint(host);
    return network;
}

Picoseconds time_of_packets_to_host_0(Network& network, std::uint32_t from_host_1, std::uint32_t from_host_2) {
    Packet packet{};
    packet.to = 0;
    packet.length = kSegmentBytes;
    for (std::uint32_t i = 0; i < from_host_1; ++i) network.send(0, 1, packet);
    for (std::uint32_t i = 0; i < from_host_2; ++i) network.send(0, 2, packet);
    Picoseconds last = 0;
    while (network.next_time() != kNever) {
        last = network.next_time();
        network.step();
    }
    return last;
}

TEST(FlowControl, ReactsWithinTheQuantaOfItsRate) {
    EXPECT_EQ(reaction_time(100'000'000), from_ns(512 * 10));
    EXPECT_EQ(reaction_time(1'000'000'000), from_ns(2 * 512));
    EXPECT_EQ(reaction_time(10'000'000'000), from_ns(60 * 512 / 10));
}

// 3 frames, the PAUSE frame's 64 bytes, and what 2 × 3 µs of cable and 1,024 ns of reaction carry: 878 bytes.
TEST(FlowControl, TheHeadroomHoldsWhatIsOnItsWay) {
    EXPECT_EQ(headroom_bytes(kLink, kFraming, kSegmentBytes), 3U * 1'500 + 64 + 878);
}

// At 15 µs both hosts' first packets have come. Host 1's leaves at once; host 2's waits, so host 2 is told to stop:
// 0.512 µs for the frame, 3 µs of cable, 1.024 µs to react: 19.536 µs. Its second packet began at 12 µs and comes at
// 27 µs; its third is held back. At 39 µs the second leaves the switch, and host 2 is told to go on: 43.536 µs. The
// third then takes 2 × (12 + 3) µs. Without PAUSE it would have come at 66 µs.
TEST(Lossless, APauseHoldsBackWhoeverSendsTooMuch) {
    Network network = star(6'000, 1'499);
    EXPECT_EQ(time_of_packets_to_host_0(network, 1, 3), from_ns(43'536 + 2 * 15'000));
    EXPECT_EQ(network.counts().stops, 1U);
    EXPECT_EQ(network.counts().drops, 0U);
    EXPECT_EQ(network.counts().arrived, 4U);
}

TEST(Lossless, NobodyIsStoppedWhereThereIsRoom) {
    Network network = star(6'000, 3'000);
    EXPECT_EQ(time_of_packets_to_host_0(network, 1, 3), from_ns(15'000 + 4 * 12'000 + 3'000));
    EXPECT_EQ(network.counts().stops, 0U);
}

// Each host's port takes as long as it has room, whatever the other one's holds; what comes on top is dropped.
TEST(Lossless, WithoutHeadroomPacketsAreDropped) {
    Network network = star(3'000, 3'000);
    time_of_packets_to_host_0(network, 20, 20);
    EXPECT_GT(network.counts().drops, 0U);
}

}  // namespace
}  // namespace clearway::simulator
