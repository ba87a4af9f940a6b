// What a trial decides, by made-up times.
#include "collectives/trial.hpp"

#include <gtest/gtest.h>
#include <map>
#include <string>

#include "collectives/testing/made_up_job.hpp"
#include "collectives/trial_cost.hpp"

namespace clearway::collectives {
namespace {

Time constant(const std::map<std::string, std::uint64_t>& times) {
    return [times](const std::string& way, std::uint32_t, std::uint32_t rank) { return times.at(way) + rank; };
}

// Enough for every look of a trial.
constexpr std::uint32_t kTrial = 600;

TEST(Trial, SettlesOnTheFastest) {
    Job job(trial_of({"ordered", "pairwise", "own"}, true), 4);
    job.run(kTrial, constant({{"ordered", 20 * kMs}, {"pairwise", 15 * kMs}, {"own", 30 * kMs}}));
    EXPECT_EQ(job.way(), "pairwise");
    EXPECT_TRUE(is_over(job.trial()));
    EXPECT_EQ(job.trial().challenges, 0U);
}

TEST(Trial, OwnWinsTies) {
    Job job(trial_of({"ordered", "own"}, false), 2);
    job.run(40, constant({{"ordered", 1000}, {"own", 1019}}));
    EXPECT_EQ(job.way(), "own");
}

TEST(Trial, OwnLosesWhereItIsSlower) {
    Job job(trial_of({"ordered", "own"}, false), 2);
    job.run(40, constant({{"ordered", 1000}, {"own", 1030}}));
    EXPECT_EQ(job.way(), "ordered");
}

// A collapse ends the look at once; the second look, in case it was an accident, waits until it weighs little.
TEST(Trial, ACollapseEndsALookWithItsFirstCall) {
    Job job(trial_of({"ordered", "pairwise", "own"}, true), 3);
    const Time time = constant({{"ordered", 190 * kMs}, {"pairwise", 192 * kMs}, {"own", 450 * kMs}});
    job.run(24, time);
    EXPECT_EQ(job.way(), "ordered");
    EXPECT_EQ(job.calls_of("own"), 1U);
    job.run(1000, time);
    EXPECT_EQ(job.calls_of("own"), 2U);
    EXPECT_TRUE(is_over(job.trial()));
}

TEST(Trial, AnAccidentInALookIsNotTheEnd) {
    Job job(trial_of({"ordered", "own"}, true), 3);
    const Time time = [](const std::string& way, std::uint32_t call, std::uint32_t) {
        return way == "own" ? 150 * kMs + (call < 20 ? 400 * kMs : 0) : 200 * kMs;
    };
    job.run(300, time);
    EXPECT_EQ(job.way(), "own");
}

// Nothing can jam: the MPI's own is where it begins, and stays where nothing is better.
TEST(Trial, BeginsWithOwnWhereNothingCanJam) {
    Job job(trial_of({"ordered", "bruck", "own"}, false), 3);
    const Time time = constant({{"ordered", 40'000}, {"bruck", 60'000}, {"own", 20'000}});
    EXPECT_EQ(job.way(), "own");
    job.run(kTrial, time);
    EXPECT_EQ(job.way(), "own");
    EXPECT_EQ(job.calls_of("ordered"), 10U);
    EXPECT_LE(job.calls_of("bruck"), 4U);  // more than twice as slow: two looks of two calls
}

TEST(Trial, BeginsWhereAnEarlierJobEnded) {
    const auto made = candidates({"ordered", "pairwise", "own"});
    Job job(
        make_trial(made,
                   {.began = Beginning::earlier_job, .first = 1, .may_jam = true, .expected_percent = {105, 100, 220}}),
        2);
    const Time time = constant({{"ordered", 210 * kMs}, {"pairwise", 200 * kMs}, {"own", 440 * kMs}});
    job.run(24, time);
    EXPECT_EQ(job.calls_of("own"), 0U);
    EXPECT_GE(job.calls_of("pairwise"), 20U);
    EXPECT_EQ(job.way(), "pairwise");
}

TEST(Trial, FindsOutThatAnEarlierJobIsOfNoUse) {
    const auto made = candidates({"ordered", "pairwise", "own"});
    Job job(
        make_trial(made,
                   {.began = Beginning::earlier_job, .first = 2, .may_jam = true, .expected_percent = {140, 150, 100}}),
        2);
    const Time time = constant({{"ordered", 200 * kMs}, {"pairwise", 205 * kMs}, {"own", 440 * kMs}});
    job.run(60, time);
    EXPECT_EQ(job.way(), "ordered");
}

// 15 % slower than the leader, but for the four calls of its look: too little to be called out later on.
TEST(Trial, AFewLuckyCallsDoNotLast) {
    Job job(trial_of({"ordered", "pairwise", "own"}, true), 2);
    std::uint32_t looked = 0;
    const Time time = [&looked](const std::string& way, std::uint32_t, std::uint32_t rank) {
        if (way == "pairwise") return (looked += rank) <= 4 ? 180 * kMs : 230 * kMs;
        return way == "own" ? 400 * kMs : 200 * kMs;
    };
    job.run(120, time);
    EXPECT_EQ(job.way(), "ordered");
    EXPECT_LE(job.calls_of("pairwise"), 16U);
}

// A look's calls that wait 40 ms for TCP's timer, as --flow sets it, are not what the median makes of them.
TEST(Trial, CountsShortStalls) {
    Job job(trial_of({"ordered", "pairwise", "own"}, true), 2);
    const Time time = [](const std::string& way, std::uint32_t call, std::uint32_t) {
        if (way == "pairwise") return 90 * kMs + (call % 3 == 0 ? 45 * kMs : 0);
        return way == "own" ? 200 * kMs : 100 * kMs;
    };
    job.run(200, time);
    EXPECT_EQ(job.way(), "ordered");
}

TEST(Trial, TellsItsRegret) {
    Job job(trial_of({"ordered", "own"}, true), 2);
    job.run(1000, constant({{"ordered", 200 * kMs}, {"own", 500 * kMs}}));
    EXPECT_EQ(calls_elsewhere(job.trial()), 2U);
    EXPECT_NEAR(static_cast<double>(regret_ns(job.trial())), 600.0 * kMs, 1000.0);
}

// One call in ten waits 200 ms: they count, as they do for the program.
TEST(Trial, CountsStallsInFull) {
    Job job(trial_of({"ordered", "own"}, false), 2);
    const Time time = [](const std::string& way, std::uint32_t call, std::uint32_t) {
        return way == "own" ? 9 * kMs + (call % 10 == 3 ? 210 * kMs : 0) : 10 * kMs;
    };
    job.run(kTrial, time);
    EXPECT_EQ(job.way(), "ordered");
}

TEST(Trial, PassesOverShortOutliers) {
    Job job(trial_of({"ordered", "own"}, false), 2);
    const Time time = [](const std::string& way, std::uint32_t call, std::uint32_t) {
        return way == "own" ? 8 * kMs + (call % 10 == 3 ? 20 * kMs : 0) : 10 * kMs;
    };
    job.run(40, time);
    EXPECT_EQ(job.way(), "own");
}

TEST(Trial, LeavesWhatGetsSlower) {
    Job job(trial_of({"ordered", "own"}, true), 2);
    job.run(2000, constant({{"ordered", 2 * kMs}, {"own", 3 * kMs}}));
    ASSERT_EQ(job.way(), "ordered");
    job.run(3000, constant({{"ordered", 6 * kMs}, {"own", 3 * kMs}}));
    EXPECT_EQ(job.way(), "own");
    EXPECT_LE(job.trial().challenges, 2U);
}

// What passes a look and then begins to lose packets.
TEST(Trial, LeavesWhatWasGoodOnlyInTheTrial) {
    Job job(trial_of({"ordered", "pairwise", "own"}, true), 2);
    std::uint32_t good = 0;
    const Time time = [&good](const std::string& way, std::uint32_t, std::uint32_t rank) {
        if (way == "pairwise") return (good += rank) < 6 ? 180 * kMs : 600 * kMs;
        return way == "own" ? 400 * kMs : 190 * kMs;
    };
    job.run(200, time);
    EXPECT_EQ(job.way(), "ordered");
    EXPECT_LT(job.calls_of("pairwise"), 20U);
}

// Other traffic slows every way down alike: after one challenge each, all of them are known to be no better.
TEST(Trial, SeldomChallengesUnderChangingLoad) {
    Job job(trial_of({"ordered", "own"}, true), 2);
    const Time time = [](const std::string& way, std::uint32_t call, std::uint32_t) {
        const std::uint64_t load = call / 100 % 2 == 0 ? 1 : 2;
        return (way == "own" ? 12 * kMs : 10 * kMs) * load;
    };
    constexpr std::uint32_t kCalls = 100'000;
    job.run(kCalls, time);
    EXPECT_EQ(job.way(), "ordered");
    EXPECT_LT(job.calls_of("own"), kCalls / 400);
}

// Tiny calls cost no more than an agreement does: noise must not make agreements frequent.
TEST(Trial, StaysCalmInNoise) {
    Job job(trial_of({"ordered", "bruck", "own"}, true), 4);
    std::uint64_t state = 1;
    const Time time = [&state](const std::string& way, std::uint32_t, std::uint32_t) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const std::uint64_t noise = state >> 33;
        return (way == "own" ? 20'000U : 21'000U) + noise % 10'000 + (noise % 50 == 0 ? 100'000U : 0U);
    };
    constexpr std::uint32_t kCalls = 100'000;
    job.run(kCalls, time);
    EXPECT_LT(job.agreements(), kCalls / 200);
}

TEST(Trial, ChallengesSeldomAndFindsWhatHasBecomeBetter) {
    Job job(trial_of({"ordered", "own"}, true), 2);
    job.run(100, constant({{"ordered", 10 * kMs}, {"own", 15 * kMs}}));
    ASSERT_EQ(job.way(), "ordered");
    job.run(50'000, constant({{"ordered", 10 * kMs}, {"own", 5 * kMs}}));
    EXPECT_EQ(job.way(), "own");
}

TEST(Trial, CostsLittleOnceSettled) {
    for (const std::uint64_t own_ns : {11 * kMs, 20 * kMs, 300 * kMs}) {
        Job job(trial_of({"ordered", "pairwise", "own"}, true), 2);
        const Time time = constant({{"ordered", 10 * kMs}, {"pairwise", 14 * kMs}, {"own", own_ns}});
        job.run(100, time);
        const std::uint64_t before_ns = job.elapsed_ns();
        const std::uint32_t agreements = job.agreements();
        constexpr std::uint32_t kCalls = 100'000;
        job.run(kCalls, time);
        const double cost = static_cast<double>(job.elapsed_ns() - before_ns) / (10.0 * kMs * kCalls);
        EXPECT_LT(cost, 1.005) << own_ns;
        EXPECT_LT(job.agreements() - agreements, kCalls / 200) << own_ns;
    }
}

TEST(Trial, StartsWhereATableSaysAndChecksIt) {
    Job job(make_settled_trial(candidates({"ordered", "pairwise", "own"}), 1), 2);
    const Time time = constant({{"ordered", 10 * kMs}, {"pairwise", 20 * kMs}, {"own", 12 * kMs}});
    job.run(50, time);
    EXPECT_EQ(job.way(), "pairwise");
    EXPECT_EQ(job.calls_of("pairwise"), 50U);
    job.run(200'000, time);
    EXPECT_EQ(job.way(), "own");
}

TEST(Trial, GivesUpForGood) {
    Trial trial = trial_of({"ordered", "own"}, true);
    give_up(trial);
    EXPECT_TRUE(trial.tried[trial.current].candidate.is_own());
    EXPECT_GT(trial.unwatched_calls, 1U << 30);
}

}  // namespace
}  // namespace clearway::collectives
