#include "collectives/earlier_jobs.hpp"

#include <gtest/gtest.h>

namespace clearway::collectives {
namespace {

TableLine line(std::uint64_t block_bytes, const char* way) {
    TableLine made{schedule::Operation::alltoall, 8, 8, block_bytes, {}, {}};
    EXPECT_TRUE(parse(way, made.candidate));
    return made;
}

TEST(EarlierJobs, NewFindingsTakeThePlaceOfOldOnes) {
    const auto lines = merged({line(64, "own"), line(128, "own")}, {line(64, "ordered")});
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(text_of(lines[0]), "alltoall 8 8 128 own\n");
    EXPECT_EQ(text_of(lines[1]), "alltoall 8 8 64 ordered\n");
}

TEST(EarlierJobs, TheNewestAreKept) {
    std::vector<TableLine> old;
    for (std::uint64_t bytes = 1; bytes <= 600; ++bytes) old.push_back(line(bytes, "own"));
    const auto lines = merged(old, {line(1000, "ordered")});
    EXPECT_EQ(lines.size(), 512U);
    EXPECT_EQ(lines.back().block_bytes, 1000U);
    EXPECT_EQ(lines.front().block_bytes, 90U);
}

TEST(EarlierJobs, HostsOfLikeNamesAreOneCluster) {
    EXPECT_EQ(cluster_name("node017.cluster.example"), cluster_name("node4"));
    EXPECT_NE(cluster_name("node4"), cluster_name("gpu4"));
    EXPECT_EQ(cluster_name(""), "");
}

}  // namespace
}  // namespace clearway::collectives
