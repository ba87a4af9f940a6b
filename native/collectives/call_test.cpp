#include "collectives/call.hpp"

#include <gtest/gtest.h>

#include "collectives/buffers/block_list.hpp"

namespace clearway::collectives {
namespace {

constexpr Arg kGarbageAbove = Arg{0x5a5a5a5a} << 32;

TEST(Side, TakesAnIntFromTheLowerHalfOfARegister) {
    const Side side{.division = Division::equal, .counts = kGarbageAbove | 7};
    EXPECT_EQ(side.count_of(3), 7);
    const Side negative{.division = Division::equal, .counts = kGarbageAbove | 0xffffffff};
    EXPECT_EQ(negative.count_of(0), -1);
}

TEST(Side, TakesAllOfALargeCount) {
    const Arg count = Arg{5} << 33;
    const Side side{.division = Division::one_block, .large = true, .counts = count};
    EXPECT_EQ(side.count_of(0), count);
}

TEST(Side, ReadsArraysOfBothWidths) {
    const int narrow[] = {1, -2, 3};
    const std::int64_t wide[] = {1, std::int64_t{1} << 40, 3};
    const Side ints{.division = Division::counted, .counts = to_arg(narrow), .displacements = to_arg(narrow)};
    const Side large{
        .division = Division::counted, .large = true, .counts = to_arg(wide), .displacements = to_arg(wide)};
    EXPECT_EQ(ints.count_of(1), -2);
    EXPECT_EQ(ints.displacement_of(2), 3);
    EXPECT_EQ(large.count_of(1), std::int64_t{1} << 40);
    EXPECT_EQ(large.displacement_of(1), std::int64_t{1} << 40);
}

TEST(OwnCall, CallsWhatItStandsFor) {
    int calls = 0;
    const auto own = [&] { return ++calls + 40; };
    EXPECT_EQ(OwnCall(own)(), 41);
    EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace clearway::collectives
