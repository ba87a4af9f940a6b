// Courses of several ranks in virtual time: what a call takes is told to them, the agreement is the largest of their
// figures, and after every call all ranks must stand alike.
#include "collectives/course.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace clearway {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

std::vector<Candidate> candidates(const std::vector<std::string>& texts) {
    std::vector<Candidate> made(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_TRUE(parse(texts[i], made[i])) << texts[i];
    return made;
}

// What a call takes on a rank: by candidate and number of the call.
using Time = std::function<std::uint64_t(const std::string& way, std::uint32_t call, std::uint32_t rank)>;

class Job {
public:
    Job(const Course& course, std::uint32_t ranks) : courses_(ranks, course) {}

    void run(std::uint32_t calls, const Time& time) {
        for (std::uint32_t i = 0; i < calls; ++i) call(time);
    }

    std::string way() const { return text_of(courses_[0].tried[courses_[0].current].candidate); }
    const Course& course() const { return courses_[0]; }
    std::uint32_t calls_of(const std::string& way) const { return ways_.contains(way) ? ways_.at(way) : 0; }
    std::uint32_t agreements() const { return agreements_; }
    std::uint64_t elapsed_ns() const { return elapsed_ns_; }

private:
    void call(const Time& time) {
        const std::string way = this->way();
        ++ways_[way];
        std::uint64_t slowest = 0, figure = 0;
        std::uint32_t asking = 0;
        for (std::uint32_t rank = 0; rank < courses_.size(); ++rank) {
            Course& course = courses_[rank];
            ASSERT_EQ(text_of(course.tried[course.current].candidate), way) << "rank " << rank;
            const std::uint64_t took = time(way, calls_, rank);
            slowest = std::max(slowest, took);
            if (course.unwatched_calls != 0) {
                --course.unwatched_calls;
            } else if (note(course, took)) {
                ++asking;
                figure = std::max(figure, course.offered_ns);
            }
        }
        ++calls_;
        elapsed_ns_ += slowest;
        ASSERT_TRUE(asking == 0 || asking == courses_.size()) << asking << " ranks wait for the others";
        if (asking == 0) return;
        ++agreements_;
        for (Course& course : courses_) {
            course.offered_ns = figure;
            agreed(course);
        }
    }

    std::vector<Course> courses_;
    std::map<std::string, std::uint32_t> ways_;
    std::uint32_t calls_ = 0, agreements_ = 0;
    std::uint64_t elapsed_ns_ = 0;
};

Time constant(const std::map<std::string, std::uint64_t>& times) {
    return [times](const std::string& way, std::uint32_t, std::uint32_t rank) { return times.at(way) + rank; };
}

TEST(Course, SettlesOnTheFastest) {
    Job job(make_course(candidates({"ordered", "pairwise", "own"})), 4);
    job.run(40, constant({{"ordered", 20 * kMs}, {"pairwise", 15 * kMs}, {"own", 30 * kMs}}));
    EXPECT_EQ(job.way(), "pairwise");
    EXPECT_EQ(job.course().stage, Stage::settled);
    EXPECT_EQ(job.course().challenges, 0U);
}

TEST(Course, OwnWinsTies) {
    Job job(make_course(candidates({"ordered", "own"})), 2);
    job.run(40, constant({{"ordered", 1000}, {"own", 1019}}));
    EXPECT_EQ(job.way(), "own");
}

TEST(Course, OwnLosesWhereItIsSlower) {
    Job job(make_course(candidates({"ordered", "own"})), 2);
    job.run(40, constant({{"ordered", 1000}, {"own", 1030}}));
    EXPECT_EQ(job.way(), "ordered");
}

TEST(Course, OwnComesLastAndTwiceOnlyWhenHopeless) {
    Job job(make_course(candidates({"ordered", "pairwise", "own"})), 3);
    job.run(200, constant({{"ordered", 20 * kMs}, {"pairwise", 21 * kMs}, {"own", 250 * kMs}}));
    EXPECT_EQ(job.way(), "ordered");
    EXPECT_EQ(job.calls_of("own"), 2U);
}

// The three timed calls of a block see one loss: 200 ms in one call count, as they do for the program.
TEST(Course, CountsStallsInFull) {
    Job job(make_course(candidates({"ordered", "own"})), 2);
    const Time time = [](const std::string& way, std::uint32_t call, std::uint32_t) {
        return way == "own" ? 9 * kMs + (call == 11 ? 210 * kMs : 0) : 10 * kMs;
    };
    job.run(40, time);
    EXPECT_EQ(job.way(), "ordered");
}

TEST(Course, PassesOverShortOutliers) {
    Job job(make_course(candidates({"ordered", "own"})), 2);
    const Time time = [](const std::string& way, std::uint32_t call, std::uint32_t) {
        return way == "own" ? 8 * kMs + (call == 11 ? 30 * kMs : 0) : 10 * kMs;
    };
    job.run(40, time);
    EXPECT_EQ(job.way(), "own");
}

TEST(Course, LeavesWhatGetsSlower) {
    Job job(make_course(candidates({"ordered", "own"})), 2);
    job.run(500, constant({{"ordered", 2 * kMs}, {"own", 3 * kMs}}));
    ASSERT_EQ(job.way(), "ordered");
    job.run(600, constant({{"ordered", 6 * kMs}, {"own", 3 * kMs}}));
    EXPECT_EQ(job.way(), "own");
    EXPECT_EQ(job.course().challenges, 1U);
}

// What passes a short trial and then begins to lose packets.
TEST(Course, LeavesWhatWasGoodOnlyInTheTrial) {
    Job job(make_course(candidates({"ordered", "pairwise", "own"})), 2);
    const Time time = [](const std::string& way, std::uint32_t call, std::uint32_t) {
        if (way == "pairwise") return call < 20 ? 180 * kMs : 600 * kMs;
        return way == "own" ? 400 * kMs : 190 * kMs;
    };
    job.run(60, time);
    EXPECT_EQ(job.way(), "ordered");
    EXPECT_LT(job.calls_of("pairwise"), 16U);
}

// Other traffic slows every way down alike: after one challenge each, all of them are known to be no better.
TEST(Course, SeldomChallengesUnderChangingLoad) {
    Job job(make_course(candidates({"ordered", "own"})), 2);
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
TEST(Course, StaysCalmInNoise) {
    Job job(make_course(candidates({"ordered", "bruck", "own"})), 4);
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

TEST(Course, ChallengesSeldomAndFindsWhatHasBecomeBetter) {
    Job job(make_course(candidates({"ordered", "own"})), 2);
    job.run(100, constant({{"ordered", 10 * kMs}, {"own", 15 * kMs}}));
    ASSERT_EQ(job.way(), "ordered");
    job.run(50'000, constant({{"ordered", 10 * kMs}, {"own", 5 * kMs}}));
    EXPECT_EQ(job.way(), "own");
}

TEST(Course, CostsLittleOnceSettled) {
    for (const std::uint64_t own_ns : {11 * kMs, 20 * kMs, 300 * kMs}) {
        Job job(make_course(candidates({"ordered", "pairwise", "own"})), 2);
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

TEST(Course, StartsWhereATableSaysAndChecksIt) {
    Job job(make_settled_course(candidates({"ordered", "pairwise", "own"}), 1), 2);
    const Time time = constant({{"ordered", 10 * kMs}, {"pairwise", 20 * kMs}, {"own", 12 * kMs}});
    job.run(50, time);
    EXPECT_EQ(job.way(), "pairwise");
    EXPECT_EQ(job.calls_of("pairwise"), 50U);
    job.run(200'000, time);
    EXPECT_EQ(job.way(), "own");
}

TEST(Course, GivesUpForGood) {
    Course course = make_course(candidates({"ordered", "own"}));
    give_up(course);
    EXPECT_TRUE(course.tried[course.current].candidate.is_own());
    EXPECT_GT(course.unwatched_calls, 1U << 30);
}

}  // namespace
}  // namespace clearway
