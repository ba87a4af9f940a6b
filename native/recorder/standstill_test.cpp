#include "recorder/standstill.hpp"

#include <gtest/gtest.h>

namespace clearway::recorder {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

// The sampler was stopped for 1.5 s: it lost its processor once, and nobody ran.
Moment after_a_stop() { return {.wall_ns = 1500 * kMs, .given_up = 1}; }

TEST(Standstill, IsFoundAsleepAndAtWork) {
    EXPECT_EQ(stopped_asleep_ns({}, after_a_stop(), 20 * kMs), 1480 * kMs);
    EXPECT_EQ(stopped_at_work_ns({}, after_a_stop()), 1500 * kMs);
}

TEST(Standstill, OnlyTheRestOfWhatIsExplainedIsOne) {
    Moment late = after_a_stop();
    late.run_delay_ns = 200 * kMs, late.cpu_ns = 100 * kMs;
    EXPECT_EQ(stopped_asleep_ns({}, late, 20 * kMs), 1180 * kMs);
    late.run_delay_ns = 1200 * kMs;  // it waited for a processor
    EXPECT_EQ(stopped_asleep_ns({}, late, 20 * kMs), 0U);
    late.run_delay_ns = 0, late.cpu_ns = 1400 * kMs;  // other threads ran
    EXPECT_EQ(stopped_at_work_ns({}, late), 0U);
}

TEST(Standstill, AsleepNoMatterHowOftenItLostItsProcessor) {
    Moment late = after_a_stop();
    late.given_up = 7;
    EXPECT_GT(stopped_asleep_ns({}, late, 20 * kMs), 0U);
}

TEST(Standstill, AtWorkItsOwnFilesMayHaveHeldItUp) {
    Moment page = after_a_stop(), record = after_a_stop(), reads = after_a_stop();
    page.page_faults = 1, record.blocks_written = 8, reads.given_up = 2;
    for (const Moment& each : {page, record, reads}) EXPECT_EQ(stopped_at_work_ns({}, each), 0U);
}

}  // namespace
}  // namespace clearway::recorder
