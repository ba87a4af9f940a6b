#include "io_cache/files/patterns.hpp"

#include <gtest/gtest.h>

#include "io_cache/files/budget.hpp"

namespace clearway::io_cache {
namespace {

TEST(Patterns, AStarGoesAcrossSlashes) {
    EXPECT_TRUE(matches("/scratch/*", "/scratch/a"));
    EXPECT_TRUE(matches("/scratch/*", "/scratch/job/7/a.dat"));
    EXPECT_FALSE(matches("/scratch/*", "/scratch"));
    EXPECT_FALSE(matches("/scratch/*", "/home/scratch/a"));
}

TEST(Patterns, WithoutASlashTheLastPartOfTheNameCounts) {
    EXPECT_TRUE(matches("*.aoints.[0-9]*", "/home/me/water.aoints.0"));
    EXPECT_FALSE(matches("*.aoints.[0-9]*", "/home/me.aoints.0/water.db"));
    EXPECT_TRUE(matches("a", "/b/a"));
}

std::uint64_t bytes_of(const char* text) {
    std::uint64_t bytes = 42;
    EXPECT_TRUE(parse_budget(text, bytes)) << text;
    return bytes;
}

TEST(Budget, IsWrittenAsPeopleDo) {
    EXPECT_EQ(bytes_of("1048576"), 1U << 20);
    EXPECT_EQ(bytes_of("1M"), 1'000'000U);
    EXPECT_EQ(bytes_of("1Mi"), 1U << 20);
    EXPECT_EQ(bytes_of("auto"), kBudgetAuto);
    EXPECT_EQ(bytes_of("64Mi/rank"), std::uint64_t{64} << 20);
    EXPECT_TRUE(is_of_each_rank("64M/rank") && !is_of_each_rank("64M"));
}

TEST(Budget, RefusesWhatIsNone) {
    for (const char* text :
         {"", "M", "-1M", "8Q", "1000", "999k", "16777216T", "automatic", "64M/host", "auto/rank", "/rank"}) {
        std::uint64_t bytes = 0;
        EXPECT_FALSE(parse_budget(text, bytes)) << text;
    }
}

}  // namespace
}  // namespace clearway::io_cache
