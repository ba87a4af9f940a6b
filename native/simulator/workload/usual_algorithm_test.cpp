#include "simulator/workload/usual_algorithm.hpp"

#include <gtest/gtest.h>

namespace clearway::simulator {
namespace {

using enum schedule::Operation;

std::string_view of_mpich(schedule::Operation operation, std::uint32_t ranks, std::uint64_t bytes) {
    return usual_algorithm(Library::mpich, operation, ranks, bytes).name;
}

std::string_view of_open_mpi(schedule::Operation operation, std::uint32_t ranks, std::uint64_t bytes) {
    return usual_algorithm(Library::open_mpi, operation, ranks, bytes).name;
}

TEST(UsualAlgorithm, IsTheOneOfFewMessagesForLittleData) {
    EXPECT_EQ(of_mpich(bcast, 8, 12'287), "binomial");
    EXPECT_EQ(of_mpich(bcast, 7, 1'000'000), "binomial");
    EXPECT_EQ(of_mpich(reduce, 8, 2'048), "binomial");
    EXPECT_EQ(of_mpich(allreduce, 8, 2'048), "recursive_doubling");
    EXPECT_EQ(of_mpich(barrier, 8, 0), "dissemination");
}

TEST(UsualAlgorithm, IsTheOneOfFewBytesForMuch) {
    EXPECT_EQ(of_mpich(bcast, 8, 12'288), "scatter_ring");
    EXPECT_EQ(of_mpich(reduce, 8, 2'049), "rabenseifner");
    EXPECT_EQ(of_mpich(allreduce, 8, 2'049), "rabenseifner");
}

// ompi_coll_tuned_..._intra_dec_fixed of v4.1.4, for 4 to 7 ranks and for 8.
TEST(UsualAlgorithm, IsAnotherInOpenMpi) {
    EXPECT_EQ(of_open_mpi(bcast, 4, 8'191), "binomial");
    EXPECT_EQ(of_open_mpi(bcast, 7, 8'192), "linear");
    EXPECT_EQ(of_open_mpi(bcast, 4, 1'048'576), "chain");
    EXPECT_EQ(of_open_mpi(bcast, 8, 8'192), "binomial");
    EXPECT_EQ(of_open_mpi(bcast, 8, 32'768), "linear");
    EXPECT_EQ(of_open_mpi(reduce, 4, 4'096), "chain");
    EXPECT_EQ(of_open_mpi(reduce, 4, 65'536), "binomial");
    EXPECT_EQ(of_open_mpi(allreduce, 4, 8'191), "recursive_doubling");
    EXPECT_EQ(of_open_mpi(allreduce, 4, 8'192), "rabenseifner");
    EXPECT_EQ(of_open_mpi(barrier, 4, 0), "linear");
    EXPECT_EQ(of_open_mpi(barrier, 8, 0), "dissemination");
}

TEST(UsualAlgorithm, ServesItsOperation) {
    for (const Library library : {Library::mpich, Library::open_mpi})
        for (const auto operation : {bcast, reduce, allreduce, barrier})
            for (const std::uint32_t ranks : {1U, 2U, 3U, 4U, 7U, 8U, 16U, 40U, 100U, 200U, 300U, 5'000U})
                for (std::uint64_t bytes = 0; bytes < 10'000'000; bytes = 2 * bytes + 1)
                    EXPECT_TRUE(schedule::serves(usual_algorithm(library, operation, ranks, bytes), operation));
}

TEST(UsualAlgorithm, IsKnownOfTheseLibraries) {
    EXPECT_EQ(find_library("mpich"), Library::mpich);
    EXPECT_EQ(find_library("openmpi"), Library::open_mpi);
    EXPECT_EQ(find_library("lam"), std::nullopt);
}

}  // namespace
}  // namespace clearway::simulator
