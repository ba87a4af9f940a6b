#include "recorder/sockets/size_search.hpp"

#include <gtest/gtest.h>

namespace clearway::recorder {
namespace {

constexpr std::uint16_t kFull = 1500;

// What is found on a way that lets packets of up to so many bytes through.
SizeSearch searched(std::uint16_t passing, std::uint16_t full = kFull) {
    SizeSearch search(full);
    for (int questions = 0; search.next() != 0; ++questions) {
        if (questions > 32) ADD_FAILURE() << "it never ends";
        if (questions > 32) break;
        search.answer(search.next() <= passing);
    }
    return search;
}

TEST(SizeSearch, FindsTheSizeThatPasses) {
    for (std::uint16_t passing = SizeSearch::kSmall; passing < kFull; ++passing) {
        const SizeSearch found = searched(passing);
        EXPECT_LE(found.passed(), passing);
        EXPECT_GT(found.lost(), passing);
        EXPECT_LE(found.lost() - found.passed(), SizeSearch::kNearEnough);
    }
}

TEST(SizeSearch, SaysNothingOfAHostThatDoesNotAnswer) {
    const SizeSearch found = searched(0);
    EXPECT_EQ(found.passed(), 0);
    EXPECT_EQ(found.lost(), 0);
}

TEST(SizeSearch, IsDoneWhereAllPasses) {
    const SizeSearch found = searched(kFull);
    EXPECT_EQ(found.passed(), kFull);
    EXPECT_EQ(found.lost(), 0);
}

TEST(SizeSearch, AsksTwiceBeforeALargePacketCounts) {
    SizeSearch search(kFull);
    search.answer(true);
    search.answer(false);
    EXPECT_EQ(search.lost(), 0);
    search.answer(true);
    EXPECT_EQ(search.passed(), kFull);
}

TEST(SizeSearch, HasNothingToAskWhereNoPacketIsLarge) {
    EXPECT_EQ(SizeSearch(0).next(), 0);
    EXPECT_EQ(SizeSearch(SizeSearch::kSmall).next(), 0);
}

}  // namespace
}  // namespace clearway::recorder
