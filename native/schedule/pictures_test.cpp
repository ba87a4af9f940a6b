// Small Schedules against what the papers print, and what they put on each port against sums done by hand.
#include <gtest/gtest.h>

#include <string>

#include "schedule/algorithms.hpp"
#include "schedule/testing/problems.hpp"
#include "schedule/traffic.hpp"

namespace clearway::schedule {
namespace {

Schedule make(std::string_view name, Operation operation, Placement placement, std::uint64_t bytes = 100) {
    return make_schedule(*find_algorithm(name), {operation, std::move(placement), {bytes}});
}

// "0>1 1>2": the sends of a phase.
std::string sends_in(const Schedule& schedule, std::uint32_t phase) {
    std::string words;
    for (std::uint32_t rank = 0; rank < schedule.programs.size(); ++rank)
        for (const Step& step : schedule.programs[rank].steps)
            if (step.action == Action::send && step.phase == phase)
                words += (words.empty() ? "" : " ") + std::to_string(rank) + ">" + std::to_string(step.peer);
    return words;
}

TEST(Ordered, IsFigure5) {
    const Schedule schedule = make("ordered", Operation::alltoall, single_ranks(5));
    EXPECT_EQ(schedule.phases, 4U);
    EXPECT_EQ(sends_in(schedule, 0), "0>1 1>2 2>3 3>4 4>0");
    EXPECT_EQ(sends_in(schedule, 1), "0>2 1>3 2>4 3>0 4>1");
    EXPECT_EQ(sends_in(schedule, 2), "0>3 1>4 2>0 3>1 4>2");
    EXPECT_EQ(sends_in(schedule, 3), "0>4 1>0 2>1 3>2 4>3");
    EXPECT_EQ(schedule.port_use, PortUse::one_message);
}

// "In phase A … one arriving, one intra-node and one leaving message on each node … In phase B … two arriving and two
// leaving messages at each node."
TEST(Ordered, CollidesWithTwoRanksAHost) {
    const std::vector<Traffic> phases =
        traffic_by_phase(make("ordered", Operation::alltoall, place_in_blocks({2, 2, 2, 2})));
    EXPECT_EQ(phases[0].port_messages, 1U);
    EXPECT_EQ(phases[0].crossing_messages, 4U);
    EXPECT_EQ(phases[1].port_messages, 2U);
}

// Figure 7, phase A: node 0 (ranks 0 and 1) sends to node 1 and receives from node 3.
TEST(NodeOrdered, IsFigure7) {
    const Schedule schedule = make("node_ordered", Operation::alltoall, place_in_blocks({2, 2, 2, 2}));
    EXPECT_EQ(schedule.phases, 4U);
    EXPECT_EQ(sends_in(schedule, 0), "0>1 1>0 2>3 3>2 4>5 5>4 6>7 7>6");
    EXPECT_EQ(sends_in(schedule, 1), "0>2 0>3 1>2 1>3 2>4 2>5 3>4 3>5 4>6 4>7 5>6 5>7 6>0 6>1 7>0 7>1");
    EXPECT_EQ(schedule.port_use, PortUse::one_host);
}

TEST(Pairwise, PairsByXorForPowersOfTwo) {
    const Schedule schedule = make("pairwise", Operation::alltoall, single_ranks(4));
    EXPECT_EQ(schedule.phases, 3U);
    EXPECT_EQ(sends_in(schedule, 0), "0>1 1>0 2>3 3>2");
    EXPECT_EQ(sends_in(schedule, 1), "0>2 1>3 2>0 3>1");
    EXPECT_EQ(sends_in(schedule, 2), "0>3 1>2 2>1 3>0");
}

TEST(Pairwise, IsATournamentElse) {
    const Schedule even = make("pairwise", Operation::alltoall, single_ranks(6));
    EXPECT_EQ(even.phases, 5U);
    EXPECT_EQ(sends_in(even, 0), "0>5 1>4 2>3 3>2 4>1 5>0");
    EXPECT_EQ(sends_in(even, 1), "0>1 1>0 2>4 3>5 4>2 5>3");
    const Schedule odd = make("pairwise", Operation::alltoall, single_ranks(5));
    EXPECT_EQ(odd.phases, 5U);
    EXPECT_EQ(sends_in(odd, 0), "1>4 2>3 3>2 4>1");  // rank 0 is idle
    EXPECT_EQ(sends_in(odd, 1), "0>1 1>0 2>4 4>2");
}

TEST(Lam, HitsOneReceiverFirst) {
    const Schedule schedule = make("lam", Operation::alltoall, single_ranks(4));
    EXPECT_EQ(sends_in(schedule, 0), "0>1 0>2 0>3 1>0 1>2 1>3 2>0 2>1 2>3 3>0 3>1 3>2");
}

TEST(Bruck, SendsHalfOfTheBlocksInEachPhase) {
    const Schedule schedule = make("bruck", Operation::alltoall, single_ranks(8));
    EXPECT_EQ(schedule.phases, 3U);
    EXPECT_EQ(sends_in(schedule, 2), "0>4 1>5 2>6 3>7 4>0 5>1 6>2 7>3");
    for (const Traffic& traffic : traffic_by_phase(schedule)) EXPECT_EQ(traffic.port_bytes, 400U);
}

TEST(RecursiveDoubling, FoldsRanksBeyondThePowerOfTwo) {
    const Schedule schedule = make("recursive_doubling", Operation::allgather, single_ranks(6));
    EXPECT_EQ(schedule.phases, 4U);
    EXPECT_EQ(sends_in(schedule, 0), "0>1 2>3");
    EXPECT_EQ(sends_in(schedule, 1), "1>3 3>1 4>5 5>4");
    EXPECT_EQ(sends_in(schedule, 2), "1>4 3>5 4>1 5>3");
    EXPECT_EQ(sends_in(schedule, 3), "1>0 3>2");
}

TEST(Ring, FollowsTheHosts) {
    const Schedule schedule = make("ring", Operation::allgather, place({0, 1, 0, 1}));
    EXPECT_EQ(sends_in(schedule, 0), "0>2 1>3 2>1 3>0");
    EXPECT_EQ(traffic_of(schedule).port_bytes, 300U);
}

// The far half first; places are counted from the root.
TEST(Binomial, DoublesThoseThatHaveIt) {
    Problem problem{Operation::bcast, single_ranks(6), {100}};
    EXPECT_EQ(sends_in(make_schedule(*find_algorithm("binomial"), problem), 0), "0>4");
    EXPECT_EQ(sends_in(make_schedule(*find_algorithm("binomial"), problem), 1), "0>2");
    problem.root = 5;
    const Schedule schedule = make_schedule(*find_algorithm("binomial"), problem);
    EXPECT_EQ(sends_in(schedule, 0), "5>3");
    EXPECT_EQ(sends_in(schedule, 2), "1>2 3>4 5>0");
}

TEST(Binomial, ReducesTheOtherWay) {
    const Schedule schedule = make("binomial", Operation::reduce, single_ranks(6));
    EXPECT_EQ(sends_in(schedule, 0), "1>0 3>2 5>4");
    EXPECT_EQ(sends_in(schedule, 1), "2>0");
    EXPECT_EQ(sends_in(schedule, 2), "4>0");
}

// Places are counted from the root.
TEST(Chain, GoesFromEachToTheNext) {
    Problem problem{Operation::bcast, single_ranks(4), {100}};
    problem.root = 2;
    const Schedule schedule = make_schedule(*find_algorithm("chain"), problem);
    EXPECT_EQ(sends_in(schedule, 0), "2>3");
    EXPECT_EQ(sends_in(schedule, 2), "0>1");
    problem.operation = Operation::reduce;
    EXPECT_EQ(sends_in(make_schedule(*find_algorithm("chain"), problem), 0), "1>0");
    EXPECT_EQ(sends_in(make_schedule(*find_algorithm("chain"), problem), 2), "3>2");
}

TEST(Linear, IsAllAtOnceFromTheRoot) {
    Problem problem{Operation::bcast, single_ranks(4), {100}};
    problem.root = 1;
    EXPECT_EQ(sends_in(make_schedule(*find_algorithm("linear"), problem), 0), "1>2 1>3 1>0");
    problem.operation = Operation::reduce;
    EXPECT_EQ(sends_in(make_schedule(*find_algorithm("linear"), problem), 0), "0>1 2>1 3>1");
    const Schedule barrier = make_schedule(*find_algorithm("linear"), {Operation::barrier, single_ranks(3), {1}});
    EXPECT_EQ(sends_in(barrier, 0), "1>0 2>0");
    EXPECT_EQ(sends_in(barrier, 1), "0>1 0>2");
}

TEST(ScatterRing, HalvesWhatGoesDownTheTree) {
    const Algorithm& algorithm = *find_algorithm("scatter_ring");
    const Schedule schedule =
        make_schedule(algorithm, vector_problem(algorithm, Operation::bcast, single_ranks(4), 400));
    EXPECT_EQ(schedule.phases, 5U);
    EXPECT_EQ(traffic_by_phase(schedule)[0].port_bytes, 200U);
    EXPECT_EQ(sends_in(schedule, 1), "0>1 2>3");
    EXPECT_EQ(sends_in(schedule, 2), "0>1 1>2 2>3 3>0");
}

TEST(Rabenseifner, GathersTowardTheRoot) {
    const Algorithm& algorithm = *find_algorithm("rabenseifner");
    const Schedule schedule =
        make_schedule(algorithm, vector_problem(algorithm, Operation::reduce, single_ranks(4), 400, 1, 2));
    EXPECT_EQ(sends_in(schedule, 0), "0>1 1>0 2>3 3>2");
    EXPECT_EQ(sends_in(schedule, 1), "0>2 1>3 2>0 3>1");
    EXPECT_EQ(sends_in(schedule, 2), "0>2 1>3");
    EXPECT_EQ(sends_in(schedule, 3), "3>2");
}

TEST(Dissemination, TellsThoseTwiceAsFar) {
    const Schedule schedule =
        make_schedule(*find_algorithm("dissemination"), {Operation::barrier, single_ranks(5), {1}});
    EXPECT_EQ(sends_in(schedule, 0), "0>1 1>2 2>3 3>4 4>0");
    EXPECT_EQ(sends_in(schedule, 2), "0>4 1>0 2>1 3>2 4>3");
}

// Each block crosses a port once in each direction where only leaders talk; else once for each rank behind the port.
TEST(Hierarchical, SavesBytesOfAnAllgather) {
    const Placement placement = place_in_blocks({4, 4, 4});
    EXPECT_EQ(traffic_of(make("hierarchical", Operation::allgather, placement)).port_bytes, 800U);
    EXPECT_EQ(traffic_of(make("node_ordered", Operation::allgather, placement)).port_bytes, 3200U);
    const Traffic alltoall = traffic_of(make("hierarchical", Operation::alltoall, placement));
    EXPECT_EQ(alltoall.port_bytes, 3200U);  // 4 × 8 blocks
    EXPECT_EQ(alltoall.port_messages, 2U);
}

}  // namespace
}  // namespace clearway::schedule
