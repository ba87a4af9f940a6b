#include "recorder/readings.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace clearway::recorder {
namespace {

std::vector<Reading> made(std::uint32_t number) {
    std::vector<Reading> readings(number);
    for (std::uint32_t i = 0; i < number; ++i) {
        readings[i].ticks = 100 * (i + 1);
        readings[i].mpi_ticks = 7 * (i + 1) * (i + 1);
    }
    return readings;
}

// What lies between neighbours, the first reading's own sum included, is all that there was.
std::uint64_t sum_of_slices(const std::vector<Reading>& readings) {
    std::uint64_t sum = 0, before = 0;
    for (const Reading& reading : readings) {
        sum += reading.mpi_ticks - before;
        before = reading.mpi_ticks;
    }
    return sum;
}

TEST(Readings, ThinnedTheyHaveTheSameSum) {
    for (const std::uint32_t number : {2U, 3U, 10U, 199U, 200U}) {
        std::vector<Reading> readings = made(number);
        const std::uint64_t whole = sum_of_slices(readings), newest = readings.back().ticks;
        readings.resize(thin_readings(readings.data(), number));
        EXPECT_EQ(readings.size(), (number + 1) / 2);
        EXPECT_EQ(sum_of_slices(readings), whole);
        EXPECT_EQ(readings.back().ticks, newest);
        for (std::size_t i = 1; i < readings.size(); ++i) EXPECT_EQ(readings[i].ticks - readings[i - 1].ticks, 200U);
    }
}

TEST(Readings, WhatIsMovedKeepsItsParts) {
    std::vector<Reading> readings = made(8);
    thin_readings(readings.data(), 8);
    for (std::uint64_t i = 0; i < 4; ++i) {
        EXPECT_EQ(readings[i].ticks, 200 * (i + 1));
        EXPECT_EQ(readings[i].mpi_ticks, 7 * (2 * i + 2) * (2 * i + 2));
    }
}

}  // namespace
}  // namespace clearway::recorder
