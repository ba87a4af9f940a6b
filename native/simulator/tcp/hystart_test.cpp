#include "simulator/tcp/hystart.hpp"

#include <gtest/gtest.h>

namespace clearway::simulator {
namespace {

constexpr std::uint32_t kRoundTrip_ns = 5'000'000;

// Acknowledgements 1 ms apart are a train. It is too long when it has lasted for half of the least round trip and the
// millisecond that a card may hold packets back: (5 + 1) / 2 = 3 ms.
TEST(HyStart, ALongTrainEndsSlowStart) {
    HyStart hystart;
    const auto ends = [&](std::uint64_t ms) {
        return hystart.ends(from_ns(ms * 1'000'000), 1'000 + ms, 50'000, 20, kRoundTrip_ns);
    };
    for (const std::uint64_t ms : {10, 11, 12, 13}) EXPECT_FALSE(ends(ms)) << ms;
    EXPECT_TRUE(ends(14));
    EXPECT_FALSE(ends(15)) << "once";
}

TEST(HyStart, ATrainWithAGapIsNone) {
    HyStart hystart;
    for (std::uint64_t ms = 10; ms < 60; ms += 3)
        EXPECT_FALSE(hystart.ends(from_ns(ms * 1'000'000), 1'000 + ms, 50'000, 20, kRoundTrip_ns));
}

TEST(HyStart, SmallWindowsGrow) {
    HyStart hystart;
    for (std::uint64_t ms = 10; ms < 60; ++ms)
        EXPECT_FALSE(hystart.ends(from_ns(ms * 1'000'000), 1'000 + ms, 50'000, 15, kRoundTrip_ns));
}

// The ninth sample of a round shows that all of them were more than 4 ms longer than the least.
TEST(HyStart, LongerRoundTripsEndSlowStart) {
    HyStart hystart;
    EXPECT_FALSE(hystart.ends(0, 1, 1'000, 10, kRoundTrip_ns));
    std::uint64_t ms = 10;
    for (int i = 0; i < 8; ++i, ms += 3)
        EXPECT_FALSE(hystart.ends(from_ns(ms * 1'000'000), 1'001, 50'000, 20, kRoundTrip_ns + 4'000'001));
    EXPECT_TRUE(hystart.ends(from_ns(ms * 1'000'000), 1'001, 50'000, 20, kRoundTrip_ns + 4'000'001));
}

}  // namespace
}  // namespace clearway::simulator
