#include "collectives/plans.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace clearway::collectives {
namespace {

using schedule::Operation;
using schedule::Runnable;
using Sizes = std::vector<std::uint64_t>;

schedule::Candidate candidate(const char* text) {
    schedule::Candidate made;
    EXPECT_TRUE(parse(text, made));
    return made;
}

struct PlansTest : ::testing::Test {
    PlansTest() {
        group.rank = 1;
        group.placement = schedule::place_in_blocks({1, 1, 1});
    }
    ~PlansTest() override {
        if (group.plans != nullptr) group.destroy_plans(group.plans);
    }

    const Runnable& plan(Operation operation, const char* text, const Sizes& send, const Sizes& receive) {
        return plan_for(group, operation, candidate(text), send, receive);
    }

    Group group;
};

std::ptrdiff_t count(const Runnable& runnable, schedule::Action action, std::uint32_t peer) {
    return std::ranges::count_if(
        runnable.program.steps, [&](const schedule::Step& step) { return step.action == action && step.peer == peer; });
}

TEST_F(PlansTest, OneProgramServesAllSizes) {
    const Runnable* first = &plan(Operation::alltoallv, "ordered", {1, 2, 3}, {4, 5, 6});
    EXPECT_EQ(first, &plan(Operation::alltoallv, "ordered", {70, 80, 90}, {1, 1, 1}));
    EXPECT_EQ(group.plans->plans.size(), 1U);
}

TEST_F(PlansTest, OperationsWaysAndSeparationsHaveTheirOwn) {
    const Sizes all{1, 1, 1};
    plan(Operation::alltoall, "ordered", all, all);
    plan(Operation::alltoallv, "ordered", all, all);
    plan(Operation::alltoall, "pairwise", all, all);
    plan(Operation::alltoall, "ordered+barrier", all, all);
    plan(Operation::alltoall, "ordered,chunk:100", all, all);
    EXPECT_EQ(group.plans->plans.size(), 5U);
}

TEST_F(PlansTest, NoMessageForAnEmptyBlock) {
    const Runnable& runnable = plan(Operation::alltoallw, "ordered", {0, 8, 8}, {8, 8, 0});
    EXPECT_EQ(count(runnable, schedule::Action::send, 0), 0);
    EXPECT_EQ(count(runnable, schedule::Action::send, 2), 1);
    EXPECT_EQ(count(runnable, schedule::Action::receive, 0), 1);
    EXPECT_EQ(count(runnable, schedule::Action::receive, 2), 0);
}

TEST_F(PlansTest, AnEmptyContributionIsPassedOnByNobody) {
    const Runnable& runnable = plan(Operation::allgatherv, "ring", {8}, {0, 8, 8});
    EXPECT_EQ(count(runnable, schedule::Action::receive, 0), 1);  // in a ring of three: that of rank 2 alone
    EXPECT_EQ(count(runnable, schedule::Action::send, 2), 1);     // and its own alone goes on
}

TEST_F(PlansTest, KeepsThoseUsedLast) {
    const Sizes all{1, 1, 1};
    const Runnable* kept = &plan(Operation::alltoall, "ordered", all, all);
    for (int chunk = 1; chunk <= 100; ++chunk) {
        plan(Operation::alltoall, ("ordered,chunk:" + std::to_string(chunk)).c_str(), all, all);
        EXPECT_EQ(kept, &plan(Operation::alltoall, "ordered", all, all));
    }
    EXPECT_LE(group.plans->plans.size(), 32U);
}

}  // namespace
}  // namespace clearway::collectives
