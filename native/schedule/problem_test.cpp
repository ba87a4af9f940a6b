#include "schedule/problem.hpp"

#include <gtest/gtest.h>

#include "schedule/separation.hpp"

namespace clearway::schedule {
namespace {

TEST(Placement, KnowsRanksOfHostsBothWays) {
    const Placement placement = place({1, 0, 1, 2, 1});
    EXPECT_EQ(ranks_of(placement), 5U);
    EXPECT_EQ(hosts_of(placement), 3U);
    EXPECT_EQ(ranks_on(placement, 1), 3U);
    EXPECT_EQ(rank_on(placement, 1, 1), 2U);
    EXPECT_EQ(index_on_host(placement, 4), 2U);
    EXPECT_EQ(rank_on(placement, 2, 0), 3U);
    EXPECT_FALSE(one_rank_a_host(placement));
    EXPECT_EQ(place_in_blocks({2, 1}).host_of_rank, (std::vector<std::uint32_t>{0, 0, 1}));
}

TEST(Problem, SaysWhatMakesNoSense) {
    EXPECT_EQ(fault_of({Operation::alltoall, place({0, 1}), {8}}), "");
    EXPECT_EQ(fault_of({Operation::alltoall, place({}), {8}}), "there is no rank");
    EXPECT_EQ(fault_of({Operation::alltoall, place({0, 2, 2}), {8}}), "host 1 has no rank");
    EXPECT_EQ(fault_of({Operation::alltoall, place({0, 4000000000}), {8}}),
              "hosts are not numbered from 0 without gaps: there is a host 4000000000");
    EXPECT_EQ(fault_of({Operation::alltoallv, place({0, 1}), {1, 2, 3}}),
              "alltoallv of 2 ranks needs 1 or 4 block sizes, not 3");
    EXPECT_EQ(fault_of({Operation::alltoall, place(std::vector<std::uint32_t>(46341, 0)), {8}}),
              "there are more than 46340 ranks");
}

TEST(Problem, HasTheSizesOfItsOperation) {
    const Problem alltoallv{Operation::alltoallv, place({0, 1}), {1, 2, 3, 4}};
    EXPECT_EQ(bytes_of_block(alltoallv, 1, 0), 3U);
    const Problem allgatherv{Operation::allgatherv, place({0, 1}), {5, 6}};
    EXPECT_EQ(bytes_of_block(allgatherv, 1, 0), 6U);
    const Problem equal{Operation::alltoallw, place({0, 1}), {7}};
    EXPECT_EQ(bytes_of_block(equal, 1, 0), 7U);
}

TEST(Separation, SaysWhatMakesNoSense) {
    EXPECT_EQ(fault_of(Separation{}), "");
    EXPECT_EQ(fault_of({Gate::barrier, 0, 8000, 1000000}), "");
    EXPECT_EQ(fault_of({Gate::token, 16384, 8000, 0}), "");
    EXPECT_EQ(fault_of({Gate::credits, 0, 0, 0}), "credits of 0 bytes let no message pass");
    EXPECT_EQ(fault_of({Gate::barrier, 100, 0, 0}), "a window has no meaning for the gate 'barrier'");
    EXPECT_EQ(fault_of({Gate::credits, 100, 200, 0}), "a chunk of 200 bytes does not fit the window of 100 bytes");
}

}  // namespace
}  // namespace clearway::schedule
