// Hand-worked: at 1 Gbit/s a byte takes 8 ns.
#include "simulator/network/link.hpp"

#include <gtest/gtest.h>

namespace clearway::simulator {
namespace {

constexpr LinkSettings kGigabit{.rate_bps = 1'000'000'000, .latency_ns = 5'000, .buffer_bytes = 3'000};

Frame frame(std::uint32_t bytes, std::uint32_t wire_bytes) { return {Packet{}, bytes, wire_bytes, wire_bytes}; }

TEST(Link, APacketArrivesAfterItsTimeOnTheWireAndTheLatency) {
    Link link(kGigabit);
    link.queue(0, frame(1'518, 1'538));
    EXPECT_EQ(link.next().arrival, from_ns(1'538 * 8 + 5'000));
}

TEST(Link, TheNextOneLeavesWhenTheWireIsFree) {
    Link link(kGigabit);
    link.queue(0, frame(1'518, 1'538));
    link.queue(from_ns(100), frame(1'518, 1'538));
    link.pop();
    EXPECT_EQ(link.next().arrival, from_ns(2 * 1'538 * 8 + 5'000));
}

TEST(Link, OnlyWhatHasNotBegunWaits) {
    Link link(kGigabit);
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
    Link link(bucket);
    for (int i = 0; i < 3; ++i) link.queue(from_ns(1'000'000), frame(1'500, 1'500));
    EXPECT_EQ(link.settle(from_ns(1'000'000)), 3'000U);
    EXPECT_EQ(link.next().arrival, from_ns(1'000'000 + 5'000));
    link.pop();
    EXPECT_EQ(link.next().arrival, from_ns(1'000'000 + 5'000));
    link.pop();
    EXPECT_EQ(link.next().arrival, from_ns(1'000'000 + 1'500 * 8 + 5'000));
}

}  // namespace
}  // namespace clearway::simulator
