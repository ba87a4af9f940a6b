// Hand-worked traces through the policies.
#include "io_cache/replay/replay.hpp"

#include <gtest/gtest.h>

namespace clearway::io_cache {
namespace {

constexpr std::uint32_t kRecord = 4096;

void use(Trace& trace, Access access, std::uint32_t file, std::uint64_t records) {
    for (std::uint64_t index = 0; index < records; ++index)
        trace.steps.push_back({access, false, record_key(file, index)});
}

// Written once, read `passes` times, deleted.
Trace scans(std::uint64_t records, int passes) {
    Trace trace;
    use(trace, Access::write, 0, records);
    for (int pass = 0; pass < passes; ++pass) use(trace, Access::read, 0, records);
    trace.steps.push_back({Access::cut, false, record_key(0, 0)});
    return trace;
}

Outcome outcome_of(const Trace& trace, const char* policy, std::uint32_t frames) {
    Outcome outcome;
    EXPECT_TRUE(replay(trace, policy, frames, kRecord, outcome)) << policy;
    return outcome;
}

TEST(Replay, WhatFitsIsNeitherFetchedNorWritten) {
    for (const char* policy : {"lru", "keep-first", "lirs", "next-use", "page-cache", "optimum"}) {
        const Outcome outcome = outcome_of(scans(100, 5), policy, 100);
        EXPECT_EQ(outcome.fetched, 0u) << policy;
        EXPECT_EQ(outcome.written, 0u) << policy;
    }
}

TEST(Replay, ScansOfMoreThanFitsNeverHitUnderLru) {
    for (const char* policy : {"lru", "page-cache"}) {
        const Outcome outcome = outcome_of(scans(100, 10), policy, 99);
        EXPECT_EQ(outcome.fetched, 1000u) << policy;
        EXPECT_EQ(outcome.written, 100u) << policy;
    }
}

TEST(Replay, OfScansThePartThatFitsStays) {
    // 60 of 100 records stay: 40 are written, and fetched in each pass. LIRS keeps a hundredth for what passes.
    for (const char* policy : {"keep-first", "next-use", "optimum"}) {
        const Outcome outcome = outcome_of(scans(100, 10), policy, 60);
        EXPECT_EQ(outcome.fetched, 400u) << policy;
        EXPECT_EQ(outcome.written, 40u) << policy;
    }
    EXPECT_LE(outcome_of(scans(100, 10), "lirs", 60).fetched, 420u);
}

TEST(Replay, AShortScanIsKeptBeforeALongOne) {
    // Files 0 and 1 are read in turns: 20 records for each 5 of 100.
    Trace trace;
    for (int turn = 0; turn < 200; ++turn) {
        use(trace, Access::read, 0, 20);
        for (std::uint64_t index = 0; index < 5; ++index)
            trace.steps.push_back(
                {Access::read, false, record_key(1, static_cast<std::uint64_t>(turn) % 20 * 5 + index)});
    }
    EXPECT_EQ(outcome_of(trace, "lru", 22).fetched, 200u * 25);
    EXPECT_LT(outcome_of(trace, "next-use", 22).fetched, outcome_of(trace, "optimum", 22).fetched * 3 / 2);
}

TEST(Replay, WhatIsNotUsedAnyMoreMakesRoom) {
    // File 0 was scanned and lies there; then file 1 is.
    Trace trace;
    for (int pass = 0; pass < 10; ++pass) use(trace, Access::read, 0, 50);
    for (int pass = 0; pass < 100; ++pass) use(trace, Access::read, 1, 50);
    EXPECT_LT(outcome_of(trace, "next-use", 50).fetched, 50u + 50 * 15);
    EXPECT_EQ(outcome_of(trace, "keep-first", 50).fetched, 50u + 50 * 100);
}

TEST(Replay, TheOptimumIsNeverWorse) {
    // A file that is used at random, another that is scanned meanwhile.
    Trace trace;
    std::uint64_t random = 1;
    for (int i = 0; i < 20'000; ++i) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        trace.steps.push_back({Access::read, false, record_key(0, (random >> 33) % 50 * ((random >> 40) % 4))});
        trace.steps.push_back({Access::read, false, record_key(1, static_cast<std::uint64_t>(i) % 150)});
    }
    for (const std::uint32_t frames : {10u, 50u, 120u, 200u}) {
        const std::uint64_t least = outcome_of(trace, "optimum", frames).fetched;
        for (const char* policy : {"lru", "keep-first", "lirs", "next-use", "page-cache"})
            EXPECT_GE(outcome_of(trace, policy, frames).fetched, least) << policy << " with " << frames;
    }
}

}  // namespace
}  // namespace clearway::io_cache
