// A long job's events are thinned as a recorded one's.
#include "simulator/record/call_log.hpp"

#include <gtest/gtest.h>

#include "run_record/event_windows.hpp"
#include "workload/parse.hpp"

namespace clearway::simulator {
namespace {

constexpr std::uint32_t kCalls = 1'000'000;
constexpr Picoseconds kPerCall = from_ns(10'000), kInside = from_ns(2'000), kLong = from_ns(900'000'000);

TEST(CallLog, ThinsALongJobByWindowsOfTime) {
    workload::Script script;
    workload::ScriptError error;
    ASSERT_TRUE(parse_script("clearway-script 1\nranks 2\nrank 0-1\nbarrier\n", script, error)) << error.message;
    CallLog log(script, true);
    Picoseconds now = 0;
    for (std::uint32_t i = 0; i < kCalls; ++i) {
        const Picoseconds inside = i == kCalls / 2 ? kLong : kInside;
        log.called({0, &script.activities_of[0][0], i, now, now + inside, {}});
        now += inside == kLong ? kLong : kPerCall;
    }
    const RankLog& rank = log.of(0);
    EXPECT_EQ(rank.cells[0].count, kCalls);
    EXPECT_EQ(rank.events_dropped, 0U);
    EXPECT_GE(rank.event_level, 2U);
    EXPECT_LE(rank.events.size(), kMostEvents);
    EXPECT_GT(rank.events.size(), kCalls >> (rank.event_level + 2));
    EXPECT_GT(rank.events.back().seq, kCalls / 10 * 9) << "to the end of the job";
    std::uint32_t long_ones = 0;
    for (const EventRecord& event : rank.events) {
        const std::uint64_t realtime_ns = kFirstRealtime_ns + (event.exit_ticks - kFirstTick);
        const bool is_long = is_long_event(event.exit_ticks - event.entry_ticks, rank.event_level);
        long_ones += is_long ? 1 : 0;
        EXPECT_TRUE(is_long || selects_window(realtime_ns / (kPredictedWindow_ms * 1'000'000ULL), rank.event_level));
    }
    EXPECT_EQ(long_ones, 1U);
}

}  // namespace
}  // namespace clearway::simulator
