#include "simulator/tcp/ranges.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "simulator/events/random.hpp"

namespace clearway::simulator {
namespace {

TEST(Ranges, WhatTouchesIsJoined) {
    Ranges ranges;
    ranges.add(10, 20);
    ranges.add(30, 40);
    const StreamRange joined = ranges.add(20, 30);
    EXPECT_EQ(joined.begin, 10U);
    EXPECT_EQ(joined.end, 40U);
    EXPECT_EQ(ranges.size(), 1U);
}

// Against a field of flags.
TEST(Ranges, AgreeWithFlags) {
    constexpr std::uint64_t kSize = 200;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Random random(seed);
        Ranges ranges;
        std::vector<bool> flags(kSize, false);
        std::uint64_t floor = 0;
        for (int step = 0; step < 60; ++step) {
            const std::uint64_t begin = floor + random.next() % (kSize - floor - 1);
            const std::uint64_t end = begin + 1 + random.next() % std::min<std::uint64_t>(20, kSize - begin - 1);
            ranges.add(begin, end);
            for (std::uint64_t i = begin; i < end; ++i) flags[i] = true;
            if (step % 10 == 9) {
                floor = std::min<std::uint64_t>(floor + random.next() % 20, kSize - 30);
                ranges.drop_below(floor);
                for (std::uint64_t i = 0; i < floor; ++i) flags[i] = false;
            }
            std::vector<bool> told(kSize, false);
            std::uint64_t latest = 0;
            for (std::size_t r = 0; r < ranges.size(); ++r) {
                ASSERT_TRUE(r == 0 || ranges[r].begin > latest) << "not apart";
                latest = ranges[r].end;
                for (std::uint64_t i = ranges[r].begin; i < latest; ++i) told[i] = true;
            }
            ASSERT_EQ(told, flags);
        }
    }
}

}  // namespace
}  // namespace clearway::simulator
