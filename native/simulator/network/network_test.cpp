// Hand-worked: frames of 1,500 bytes take 12 µs at 1 Gbit/s.
#include "simulator/network/network.hpp"

#include <gtest/gtest.h>

namespace clearway::simulator {
namespace {

constexpr Framing kFraming{.frame_bytes = 0, .least_frame_bytes = 0, .gap_bytes = 0};
constexpr LinkSettings kLink{.rate_bps = 1'000'000'000, .latency_ns = 3'000};

Network star(std::uint32_t hosts, std::uint64_t port_bytes, std::uint64_t shared_bytes = 0) {
    LinkSettings port = kLink;
    port.buffer_bytes = port_bytes;
    Network network(one_switch(hosts, {kLink, port}, {.bytes = shared_bytes}), kFraming);
    for (std::uint32_t host = 0; host < hosts; ++host) network.add_endpoint(host);
    return network;
}

Packet full_packet_to(std::uint32_t endpoint) {
    Packet packet{};
    packet.to = endpoint;
    packet.length = 1'448;
    return packet;
}

Picoseconds drain(Network& network) {
    Picoseconds last = 0;
    while (network.next_time() != kNever) {
        last = network.next_time();
        network.step();
    }
    return last;
}

// Kim et al. 2008: where a whole group sends to one other, shortest ways leave it one link's rate. Eight hosts send a
// hundred packets of 12 µs each; the first is at the link after two others, and the last must reach its host from it.
TEST(Network, AGroupOfADragonflyHasOneLinkToAnother) {
    Network network(dragonfly(16, {2, 4, 2}, {kLink, kLink}, kLink, {}), kFraming);
    for (std::uint32_t host = 0; host < 16; ++host) network.add_endpoint(host);
    for (std::uint32_t host = 0; host < 8; ++host)
        for (int i = 0; i < 100; ++i) network.send(0, host, full_packet_to(8 + host));
    const Picoseconds last = drain(network);
    EXPECT_GE(last, from_ns(800 * 12'000 + 2 * 15'000));
    EXPECT_LE(last, from_ns(800 * 12'000 + 5 * 15'000));
}

// Stored whole and forwarded: twice 12 µs on a wire and 3 µs in it.
TEST(Network, OnePacketThroughASwitch) {
    Network network = star(2, kUnlimited);
    network.send(0, 0, full_packet_to(1));
    EXPECT_EQ(drain(network), from_ns(2 * (12'000 + 3'000)));
    EXPECT_EQ(network.unhindered(0, 1, 1'448), from_ns(2 * (12'000 + 3'000)));
    EXPECT_EQ(network.counts().hops, 2U);
}

// All three reach the port at 15 µs. One begins at once, one waits, and the buffer has no room for the third.
TEST(Network, ThreeIntoOneDropsTheThird) {
    Network network = star(4, 1'500);
    for (std::uint32_t host = 1; host <= 3; ++host) network.send(0, host, full_packet_to(0));
    EXPECT_EQ(drain(network), from_ns(15'000 + 2 * 12'000 + 3'000));
    EXPECT_EQ(network.counts().drops, 1U);
    EXPECT_EQ(network.counts().arrived, 2U);
}

TEST(Network, ThreeIntoOneArriveWhereThereIsRoom) {
    Network network = star(4, 3'000);
    for (std::uint32_t host = 1; host <= 3; ++host) network.send(0, host, full_packet_to(0));
    EXPECT_EQ(drain(network), from_ns(15'000 + 3 * 12'000 + 3'000));
    EXPECT_EQ(network.counts().drops, 0U);
}

// The third comes at 27 µs, when the second leaves the queue to be sent.
TEST(Network, AtOneInstantWhatLeavesComesBeforeWhatArrivesOrAfterIt) {
    for (const bool arrivals_first : {false, true}) {
        LinkSettings port = kLink;
        port.buffer_bytes = 1'500;
        Topology topology = one_switch(4, {kLink, port}, {});
        topology.arrivals_first = arrivals_first;
        Network network(topology, kFraming);
        for (std::uint32_t host = 0; host < 4; ++host) network.add_endpoint(host);
        for (std::uint32_t host = 1; host <= 2; ++host) network.send(0, host, full_packet_to(0));
        network.send(from_ns(12'000), 3, full_packet_to(0));
        drain(network);
        EXPECT_EQ(network.counts().drops, arrivals_first ? 1U : 0U);
    }
}

// With alpha = 1 a lone busy port gets half of the buffer: of 6,000 bytes two packets wait, for with a third it would
// hold 4,500 where 3,000 are free.
TEST(Network, ABusyPortGetsHalfOfASharedBuffer) {
    Network network = star(8, kUnlimited, 6'000);
    for (std::uint32_t host = 1; host <= 6; ++host) network.send(0, host, full_packet_to(0));
    drain(network);
    EXPECT_EQ(network.counts().arrived, 3U);
    EXPECT_EQ(network.counts().drops, 3U);
}

// What has left the buffer is free again: the same burst later has the same fate, not a worse one.
TEST(Network, ASharedBufferIsGivenBack) {
    Network network = star(8, kUnlimited, 6'000);
    for (const Picoseconds begin : {Picoseconds{0}, from_ns(1'000'000)}) {
        for (std::uint32_t host = 1; host <= 6; ++host) network.send(begin, host, full_packet_to(0));
        drain(network);
    }
    EXPECT_EQ(network.counts().arrived, 6U);
}

// Two sub-switches: inside one two links, between them four, of which the fabric's are ten times as fast.
TEST(Network, SubSwitchesAreTwoHopsFurther) {
    LinkSettings uplink = kLink;
    uplink.rate_bps = 10'000'000'000;
    Network network(switch_of_switches({0, 0, 1}, {kLink, kLink}, {uplink, uplink}, {}), kFraming);
    for (std::uint32_t host = 0; host < 3; ++host) network.add_endpoint(host);
    EXPECT_EQ(network.unhindered(0, 1, 1'448), from_ns(2 * 15'000));
    EXPECT_EQ(network.unhindered(0, 2, 1'448), from_ns(2 * 15'000 + 2 * (1'200 + 3'000)));
    network.send(0, 0, full_packet_to(2));
    EXPECT_EQ(drain(network), network.unhindered(0, 2, 1'448));
}

// As above, but the first one's link to the fabric carries as little as a port.
TEST(Network, EachSubSwitchHasItsOwnUplink) {
    LinkSettings uplink = kLink;
    uplink.rate_bps = 10'000'000'000;
    Network network(switch_of_switches({0, 0, 1}, {kLink, kLink}, {kLink, uplink}, {}), kFraming);
    for (std::uint32_t host = 0; host < 3; ++host) network.add_endpoint(host);
    EXPECT_EQ(network.unhindered(0, 2, 1'448), from_ns(2 * 15'000 + (12'000 + 3'000) + (1'200 + 3'000)));
    EXPECT_EQ(network.unhindered(2, 0, 1'448), from_ns(2 * 15'000 + (12'000 + 3'000) + (1'200 + 3'000)));
}

// The switch begins to send when 46 bytes have come (368 ns), 3 µs later.
TEST(Network, CutThroughWaitsForTheHeadAlone) {
    Topology topology = one_switch(2, {kLink, kLink}, {});
    topology.cuts_through = true;
    Network network(topology, kFraming);
    for (std::uint32_t host = 0; host < 2; ++host) network.add_endpoint(host);
    network.send(0, 0, full_packet_to(1));
    EXPECT_EQ(drain(network), from_ns(368 + 3'000 + 12'000 + 3'000));
    EXPECT_EQ(network.unhindered(0, 1, 1'448), from_ns(368 + 3'000 + 12'000 + 3'000));
}

// A link of 10 Gbit/s would run out of a packet that comes with 1 Gbit/s: it is stored first. Between the two uplinks,
// and from there to the port, the head is enough (36.8 ns).
TEST(Network, NothingIsCutThroughToAFasterLink) {
    LinkSettings uplink = kLink;
    uplink.rate_bps = 10'000'000'000;
    Topology topology = switch_of_switches({0, 0, 1}, {kLink, kLink}, {uplink, uplink}, {});
    topology.cuts_through = true;
    Network network(topology, kFraming);
    for (std::uint32_t host = 0; host < 3; ++host) network.add_endpoint(host);
    network.send(0, 0, full_packet_to(2));
    EXPECT_EQ(drain(network), from_ns(2 * 15'000 + 2 * 3'000) + 2 * 36'800);
}

}  // namespace
}  // namespace clearway::simulator
