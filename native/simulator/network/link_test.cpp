// Hand-worked: at 1 Gbit/s a byte takes 8 ns.
#include "simulator/network/link.hpp"

#include <gtest/gtest.h>

namespace clearway::simulator {
namespace {

constexpr LinkSettings kGigabit{.rate_bps = 1'000'000'000, .latency_ns = 5'000, .buffer_bytes = 3'000};

Frame frame(std::uint32_t bytes, std::uint32_t wire_bytes) { return {Packet{}, bytes, wire_bytes, wire_bytes}; }

TEST(Link, APacketArrivesAfterItsTimeOnTheWireAndTheLatency) {
    Link::Memory memory;
    Link link(kGigabit, memory);
    link.queue(0, frame(1'518, 1'538));
    EXPECT_EQ(link.next_arrival(), from_ns(1'538 * 8 + 5'000));
}

TEST(Link, TheNextOneLeavesWhenTheWireIsFree) {
    Link::Memory memory;
    Link link(kGigabit, memory);
    link.queue(0, frame(1'518, 1'538));
    link.queue(from_ns(100), frame(1'518, 1'538));
    link.pop();
    EXPECT_EQ(link.next_arrival(), from_ns(2 * 1'538 * 8 + 5'000));
}

TEST(Link, OnlyWhatHasNotBegunWaits) {
    Link::Memory memory;
    Link link(kGigabit, memory);
    for (int i = 0; i < 3; ++i) link.queue(0, frame(1'500, 1'500));
    link.settle(0);
    EXPECT_EQ(link.waiting_bytes(), 3'000U);
    EXPECT_FALSE(link.has_room(1));
    link.settle(from_ns(1'500 * 8));
    EXPECT_EQ(link.waiting_bytes(), 1'500U);
    EXPECT_TRUE(link.has_room(1'500));
}

// 3,000 bytes of tokens let two packets pass at once; the third waits until its own have come.
TEST(Link, ATokenBucketLetsABurstPass) {
    LinkSettings bucket = kGigabit;
    bucket.burst_bytes = 3'000;
    Link::Memory memory;
    Link link(bucket, memory);
    for (int i = 0; i < 3; ++i) link.queue(from_ns(1'000'000), frame(1'500, 1'500));
    EXPECT_EQ(link.settle(from_ns(1'000'000)), 3'000U);
    EXPECT_EQ(link.next_arrival(), from_ns(1'000'000 + 5'000));
    link.pop();
    EXPECT_EQ(link.next_arrival(), from_ns(1'000'000 + 5'000));
    link.pop();
    EXPECT_EQ(link.next_arrival(), from_ns(1'000'000 + 1'500 * 8 + 5'000));
}

// Blocks are kept apart from the packets: each must come out with its own.
TEST(Link, APacketComesOutAsItWentIn) {
    Link::Memory memory;
    Link link(kGigabit, memory);
    std::uint32_t number = 0;
    for (const bool has_sack : {false, true, true, false, true}) {
        Frame each = frame(1'500, 1'500);
        ++number;
        each.packet.to = number;
        each.packet.sequence = 10 * number;
        each.packet.length = 1'448;
        each.packet.has_met_congestion = 1;
        each.packet.window = 99;
        if (has_sack) each.packet.sack_end = 100 * number;
        link.queue(0, each);
    }
    for (number = 1; number <= 5; ++number) {
        const Packet packet = link.next();
        const bool has_sack = number != 1 && number != 4;
        EXPECT_EQ(packet.to, number);
        EXPECT_EQ(packet.sequence, 10 * number);
        EXPECT_EQ(packet.sack_end, has_sack ? 100 * number : 0U);
        EXPECT_EQ(packet.length, 1'448U);
        EXPECT_EQ(packet.has_met_congestion, 1U);
        EXPECT_EQ(packet.window, 99U);
        link.pop();
    }
    EXPECT_TRUE(link.is_empty());
}

}  // namespace
}  // namespace clearway::simulator
