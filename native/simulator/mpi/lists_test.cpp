#include "simulator/mpi/lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>

#include "simulator/events/random.hpp"

namespace clearway::simulator {
namespace {

// Several lists in one memory, whose places are used again and again, against as many deques.
TEST(Lists, DoAsDequesDo) {
    Random random(1);
    Lists<int> lists;
    std::array<List, 5> list;
    std::array<std::deque<int>, 5> expected;
    for (int turn = 0; turn < 100'000; ++turn) {
        const std::size_t k = random.next() % list.size();
        ASSERT_EQ(list[k].empty(), expected[k].empty());
        switch (random.next() % 4) {
            case 0:
            case 1: {
                const std::uint32_t before = list[k].last;
                const std::uint32_t at = lists.append(list[k], turn);
                expected[k].push_back(turn);
                ASSERT_EQ(lists.after(list[k], at), kNoItem);
                if (before != kNoItem) {
                    ASSERT_EQ(lists.after(list[k], before), at);
                }
                break;
            }
            case 2:
                if (expected[k].empty()) break;
                ASSERT_EQ(lists.front(list[k]), expected[k].front());
                ASSERT_EQ(lists.pop(list[k]), expected[k].front());
                expected[k].pop_front();
                break;
            default: {
                const auto is_wanted = [](int item) { return item % 3 == 0; };
                const auto found = std::ranges::find_if(expected[k], is_wanted);
                const auto taken = lists.take_first(list[k], is_wanted);
                ASSERT_EQ(taken.has_value(), found != expected[k].end());
                if (!taken) break;
                ASSERT_EQ(*taken, *found);
                expected[k].erase(found);
            }
        }
    }
}

}  // namespace
}  // namespace clearway::simulator
