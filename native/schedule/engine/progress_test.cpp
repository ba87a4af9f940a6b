#include "schedule/engine/progress.hpp"

#include <gtest/gtest.h>

#include <array>

namespace clearway::schedule {
namespace {

struct Counts {
    std::uint32_t posted = 0, ended = 0;
};

void expect_equal(const Progress& progress, const std::array<Counts, 3>& expected) {
    for (std::uint32_t message = 0; message < expected.size(); ++message) {
        ASSERT_EQ(progress.posted(message), expected[message].posted);
        ASSERT_EQ(progress.ended(message), expected[message].ended);
        ASSERT_EQ(progress.under_way(message), expected[message].posted - expected[message].ended);
    }
}

// Messages of a hundred chunks, as many under way as there may be, beside one of a single chunk: the first to have more
// chunks than fit into a byte must leave the others what they had.
TEST(Progress, CountsAsTwoNumbersDo) {
    Progress progress;
    progress.resize(3);
    std::array<Counts, 3> expected{};
    progress.post(2);
    expected[2].posted = 1;
    for (int chunk = 0; chunk < 100; ++chunk) {
        for (std::uint32_t message = 0; message < 2; ++message) {
            Counts& each = expected[message];
            if (each.posted - each.ended == (message == 0 ? 1 : kChunksUnderWay)) {
                progress.end(message);
                ++each.ended;
            }
            progress.post(message);
            ++each.posted;
        }
        expect_equal(progress, expected);
    }
}

TEST(Progress, AMessageThatEndsEarlyHasWhatCame) {
    for (const bool is_reserved : {false, true}) {
        Progress progress;
        progress.resize(3);
        if (is_reserved) progress.reserve();
        for (int chunk = 0; chunk < 5; ++chunk) progress.post(1);
        progress.end(1);
        progress.cut(1, 2);
        expect_equal(progress, {Counts{}, Counts{2, 1}, Counts{}});
        progress.begin(1);
        expect_equal(progress, {});
    }
}

}  // namespace
}  // namespace clearway::schedule
