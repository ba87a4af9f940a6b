#include "simulator/workload/usual_algorithm.hpp"

#include <gtest/gtest.h>

namespace clearway::simulator {
namespace {

using enum schedule::Operation;

std::string_view usual(schedule::Operation operation, std::uint32_t ranks, std::uint64_t bytes) {
    return usual_algorithm(operation, ranks, bytes).name;
}

TEST(UsualAlgorithm, IsTheOneOfFewMessagesForLittleData) {
    EXPECT_EQ(usual(bcast, 8, 12'287), "binomial");
    EXPECT_EQ(usual(bcast, 7, 1'000'000), "binomial");
    EXPECT_EQ(usual(reduce, 8, 2'048), "binomial");
    EXPECT_EQ(usual(allreduce, 8, 2'048), "recursive_doubling");
    EXPECT_EQ(usual(barrier, 8, 0), "dissemination");
}

TEST(UsualAlgorithm, IsTheOneOfFewBytesForMuch) {
    EXPECT_EQ(usual(bcast, 8, 12'288), "scatter_ring");
    EXPECT_EQ(usual(reduce, 8, 2'049), "rabenseifner");
    EXPECT_EQ(usual(allreduce, 8, 2'049), "rabenseifner");
}

TEST(UsualAlgorithm, ServesItsOperation) {
    for (const auto operation : {bcast, reduce, allreduce, barrier})
        for (const std::uint64_t bytes : {8U, 1'000'000U})
            EXPECT_TRUE(schedule::serves(usual_algorithm(operation, 16, bytes), operation));
}

}  // namespace
}  // namespace clearway::simulator
