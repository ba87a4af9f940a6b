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
              "hosts must be numbered from 0 without gaps: there is a host 4000000000");
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

TEST(Vector, IsCutIntoWholeElements) {
    EXPECT_EQ(cut_vector(Operation::allreduce, place({0, 1}), 80, 8, 5).block_bytes, std::vector<std::uint64_t>{16});
    EXPECT_EQ(cut_vector(Operation::allreduce, place({0, 1}), 80, 8, 4).block_bytes,
              (std::vector<std::uint64_t>{16, 24, 16, 24}));
    EXPECT_EQ(cut_vector(Operation::bcast, place({0, 1}), 3, 1, 8).blocks, 3U);  // else some would be empty
    EXPECT_EQ(cut_vector(Operation::bcast, place({0, 1}), 0, 1, 8).blocks, 1U);
    EXPECT_EQ(cut_vector(Operation::reduce_scatter, place({0, 1}), 8, 8, 2).block_bytes,
              (std::vector<std::uint64_t>{0, 8}));
}

TEST(Vector, SaysWhatMakesNoSense) {
    const auto fault = [](Problem problem, std::uint32_t blocks, std::uint32_t root) {
        problem.blocks = blocks;
        problem.root = root;
        return fault_of(problem);
    };
    const Problem vector{Operation::bcast, place({0, 1}), {8}};
    EXPECT_EQ(fault(vector, 3, 1), "");
    EXPECT_EQ(fault(vector, 3, 2), "the root, rank 2, does not exist");
    EXPECT_EQ(fault(vector, 0, 0), "a vector must have 1 to 46340 blocks, not 0");
    EXPECT_EQ(fault({Operation::bcast, place({0, 1}), {8, 8}}, 3, 0),
              "bcast of 2 ranks needs 1 or 3 block sizes, not 2");
    EXPECT_EQ(fault({Operation::reduce_scatter, place({0, 1}), {8}}, 3, 0),
              "a reduce_scatter needs one block for each rank");
    EXPECT_EQ(fault({Operation::barrier, place({0, 1}), {8}}, 1, 0), "a barrier needs one block of one byte");
}

TEST(Separation, SaysWhatMakesNoSense) {
    EXPECT_EQ(fault_of(Separation{}), "");
    EXPECT_EQ(fault_of({Gate::barrier, 0, 8000, 1000000}), "");
    EXPECT_EQ(fault_of({Gate::token, 16384, 8000, 0}), "");
    EXPECT_EQ(fault_of({Gate::credits, 0, 0, 0}), "credits of 0 bytes let no message pass");
    EXPECT_EQ(fault_of({Gate::barrier, 100, 0, 0}), "there is no window for the gate 'barrier'");
    EXPECT_EQ(fault_of({Gate::credits, 100, 200, 0}), "a chunk of 200 bytes does not fit the window of 100 bytes");
}

}  // namespace
}  // namespace clearway::schedule
