#include "workload/runner/pattern.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace clearway::workload {
namespace {

constexpr Stamp kStamp{3, 0, 1, 2, 7};

TEST(Pattern, WhatWasFilledIsRight) {
    for (const std::uint64_t bytes : {0, 1, 7, 8, 9, 1001}) {
        std::vector<std::byte> block(bytes);
        fill_pattern(seed_of(kStamp), block.data(), bytes);
        EXPECT_EQ(first_wrong(seed_of(kStamp), block.data(), bytes), bytes);
    }
}

TEST(Pattern, EachBitCounts) {
    std::vector<std::byte> block(21);
    fill_pattern(seed_of(kStamp), block.data(), block.size());
    for (std::size_t place = 0; place < block.size(); ++place) {
        block[place] ^= std::byte{1};
        EXPECT_EQ(first_wrong(seed_of(kStamp), block.data(), block.size()), place / 8 * 8);
        block[place] ^= std::byte{1};
    }
}

// A message of another step, communicator, sender, receiver or tag is another message.
TEST(Pattern, EachPartOfTheStampCounts) {
    std::vector<std::byte> block(8);
    fill_pattern(seed_of(kStamp), block.data(), block.size());
    for (const Stamp& other : {Stamp{4, 0, 1, 2, 7}, Stamp{3, 1, 1, 2, 7}, Stamp{3, 0, 2, 2, 7},
                               Stamp{3, 0, 1, kAll, 7}, Stamp{3, 0, 1, 2, -7}, Stamp{3, 0, 2, 1, 7}})
        EXPECT_EQ(first_wrong(seed_of(other), block.data(), block.size()), 0U);
}

TEST(Pattern, SumsOfManySummandsAreExact) {
    double sum = 0;
    for (int rank = 1; rank <= 1000; ++rank) sum += rank * summand(seed_of(kStamp), 5);
    EXPECT_EQ(sum, 500500 * summand(seed_of(kStamp), 5));
}

}  // namespace
}  // namespace clearway::workload
