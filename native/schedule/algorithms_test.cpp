// What every algorithm keeps, whatever the ranks, hosts and block sizes.
#include "schedule/algorithms.hpp"

#include <gtest/gtest.h>

#include <iterator>

#include "schedule/check.hpp"
#include "schedule/testing/byte_run.hpp"
#include "schedule/testing/problems.hpp"
#include "schedule/traffic.hpp"

namespace clearway::schedule {
namespace {

void expect_no_violation(const Schedule& schedule) {
    for (const Violation& violation : check(schedule))
        ADD_FAILURE() << words_of(schedule) << ": " << name_of(violation.fault) << ": " << violation.sentence;
}

// Of its first operation, cut as the algorithm wants it.
Problem large_problem(const Algorithm& algorithm, const Placement& placement) {
    return problems_for(algorithm, algorithm.operations[0], placement).front();
}

class EachAlgorithm : public testing::TestWithParam<const Algorithm*> {};

INSTANTIATE_TEST_SUITE_P(Table, EachAlgorithm, testing::ValuesIn([] {
                             std::vector<const Algorithm*> all;
                             for (const Algorithm& algorithm : algorithms()) all.push_back(&algorithm);
                             return all;
                         }()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST_P(EachAlgorithm, KeepsItsPromisesUpTo40Ranks) {
    for (const Operation operation : GetParam()->operations)
        for (std::uint32_t ranks = 1; ranks <= 40; ++ranks)
            for (const Placement& placement : placements_of(ranks))
                for (const Problem& problem : problems_for(*GetParam(), operation, placement))
                    expect_no_violation(make_schedule(*GetParam(), problem));
}

TEST_P(EachAlgorithm, HangsBehindNoGate) {
    for (const Operation operation : GetParam()->operations)
        for (const std::uint32_t ranks : {2U, 3U, 5U, 8U, 12U, 17U})
            for (const Placement& placement : placements_of(ranks))
                for (const Gate gate : kGates)
                    expect_no_violation(make_schedule(*GetParam(), problem_of(operation, placement), gated_by(gate)));
}

TEST_P(EachAlgorithm, KeepsItsPromisesWithManyRanks) {
    for (const std::uint32_t ranks : {64U, 97U, 127U, 128U, 129U, 211U, 256U})
        for (const Placement& placement : {single_ranks(ranks), place_in_blocks({ranks / 2, 1, ranks - ranks / 2 - 1})})
            expect_no_violation(make_schedule(*GetParam(), large_problem(*GetParam(), placement)));
}

TEST_P(EachAlgorithm, KeepsItsPromisesWith1024Ranks) {
    std::vector<std::uint32_t> hosts(1024);
    for (std::uint32_t rank = 0; rank < hosts.size(); ++rank) hosts[rank] = rank / 9;  // the last host has 7
    expect_no_violation(make_schedule(*GetParam(), large_problem(*GetParam(), place(hosts))));
}

constexpr Separation kSeparations[] = {
    {},
    {.gate = Gate::token, .chunk_bytes = 5},
    {.gate = Gate::token, .window_bytes = 6, .chunk_bytes = 3},
    {.gate = Gate::barrier},
    {.gate = Gate::credits, .window_bytes = 6, .chunk_bytes = 2},
    {.gate = Gate::credits, .window_bytes = 4, .pace_bytes_per_s = 1'000'000},
};

TEST_P(EachAlgorithm, MovesTheRightBytesInAnyOrder) {
    std::uint32_t round = 0;
    for (const Operation operation : GetParam()->operations)
        for (const std::uint32_t ranks : {1U, 2U, 3U, 4U, 6U, 7U, 9U})
            for (const Placement& placement : placements_of(ranks))
                for (const Problem& problem : problems_for(*GetParam(), operation, placement, 3)) {
                    if (problem.block_bytes[0] > 100) continue;
                    Schedule schedule = make_schedule(*GetParam(), problem);
                    for (const std::uint32_t seed : {1U, 2U, 3U}) {
                        schedule.separation = kSeparations[++round % std::size(kSeparations)];
                        ASSERT_EQ(ByteRun(schedule, seed).run(), Outcome::right) << words_of(schedule);
                    }
                }
}

TEST_P(EachAlgorithm, SendsNothingWhereThereIsNothing) {
    for (const Operation operation : GetParam()->operations) {
        if (operation == Operation::barrier) continue;
        const Schedule schedule = make_schedule(*GetParam(), problem_of(operation, place_in_blocks({3, 2, 1}), 0));
        for (const Program& program : schedule.programs) EXPECT_TRUE(program.steps.empty()) << words_of(schedule);
        expect_no_violation(schedule);
    }
}

void expect_independence_of_other_ranks_sizes(const Algorithm& algorithm) {
    const Problem problem = problem_of(Operation::alltoallv, place_in_blocks({3, 2, 4}));
    const std::uint32_t ranks = ranks_of(problem);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        Problem other = problem;
        for (std::uint32_t origin = 0; origin < ranks; ++origin)
            for (std::uint32_t destination = 0; destination < ranks; ++destination)
                if (origin != rank && destination != rank)
                    other.block_bytes[origin * ranks + destination] = origin % 2 == 0 ? 0 : 999;
        const Program expected = make_program(algorithm, problem, rank);
        const Program found = make_program(algorithm, other, rank);
        ASSERT_EQ(found.steps.size(), expected.steps.size());
        for (std::size_t i = 0; i < found.steps.size(); ++i) {
            EXPECT_EQ(found.steps[i].peer, expected.steps[i].peer);
            EXPECT_EQ(found.steps[i].phase, expected.steps[i].phase);
        }
    }
}

// Of an alltoallv a rank knows its own counts alone.
TEST(Algorithms, ReadOnlySizesThatTheRankKnows) {
    for (const Algorithm& algorithm : algorithms())
        if (serves(algorithm, Operation::alltoallv)) expect_independence_of_other_ranks_sizes(algorithm);
}

// Rabenseifner: 8 ranks receive 1/2 + 1/4 + 1/8 of the vector while they reduce, and the same while they gather.
TEST(Algorithms, MoveALongVectorLessThanTwice) {
    for (const std::string_view name : {"rabenseifner", "ring"}) {
        const Algorithm& algorithm = *find_algorithm(name);
        const Problem problem = vector_problem(algorithm, Operation::allreduce, single_ranks(8), 80'000);
        EXPECT_EQ(traffic_of(make_schedule(algorithm, problem)).port_bytes, 2 * (40'000U + 20'000 + 10'000)) << name;
    }
}

TEST(Algorithms, AreFoundByName) {
    for (const Algorithm& algorithm : algorithms()) EXPECT_EQ(find_algorithm(algorithm.name), &algorithm);
    EXPECT_EQ(find_algorithm("disordered"), nullptr);
}

}  // namespace
}  // namespace clearway::schedule
