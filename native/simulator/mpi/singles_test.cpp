#include "simulator/mpi/singles.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace clearway::simulator {
namespace {

bool are_equal(const Singles::Item& a, const Singles::Item& b) {
    return a.bytes == b.bytes && a.label.context == b.label.context && a.label.subject == b.label.subject &&
           a.kind == b.kind;
}

TEST(Singles, GiveBackWhatWasPut) {
    Singles singles;
    const Singles::Item item{1024, {7, 4095}, MessageKind::eager};
    List list;
    ASSERT_TRUE(singles.put(list, item));
    EXPECT_FALSE(list.empty());
    EXPECT_TRUE(Singles::holds(list));
    EXPECT_TRUE(are_equal(singles[list], item));
    EXPECT_TRUE(are_equal(singles.take(list), item));
    EXPECT_TRUE(list.empty());
    EXPECT_FALSE(Singles::holds(list));
}

TEST(Singles, AListOfNodesOrOfNothingIsNone) {
    EXPECT_FALSE(Singles::holds(List{}));
    EXPECT_FALSE(Singles::holds(List{0}));
    EXPECT_FALSE(Singles::holds(List{0x7FFFFFFFU}));
}

// The largest would be taken for an empty list.
TEST(Singles, ALargeSubjectHasNoRoom) {
    Singles singles;
    for (std::uint32_t context = 0; context < 1000; ++context) {
        List list;
        EXPECT_FALSE(singles.put(list, {8, {context, (1U << 27) - 1}, MessageKind::eager}));
        EXPECT_TRUE(list.empty());
        ASSERT_TRUE(singles.put(list, {8, {context, (1U << 27) - 2}, MessageKind::eager}));
        EXPECT_TRUE(Singles::holds(list));
        EXPECT_EQ(singles.take(list).label.subject, (1U << 27) - 2);
    }
}

// Far more families than there is room for: those that find a place are told apart, the others find one later.
TEST(Singles, FamiliesAreToldApart) {
    Singles singles;
    std::vector<List> lists(1000);
    std::vector<Singles::Item> items;
    std::uint32_t put = 0;
    for (std::uint32_t i = 0; i < lists.size(); ++i) {
        items.push_back({i % 13, {i % 7, i}, i % 2 == 0 ? MessageKind::eager : MessageKind::request});
        if (singles.put(lists[i], items[i])) ++put;
    }
    EXPECT_GT(put, lists.size() / 26 / 7 * 8);
    EXPECT_LT(put, lists.size());
    for (std::uint32_t i = 0; i < lists.size(); ++i)
        if (!lists[i].empty()) {
            EXPECT_TRUE(are_equal(singles.take(lists[i]), items[i]));
        }
    for (std::uint32_t i = 0; i < lists.size(); ++i) {
        ASSERT_TRUE(singles.put(lists[i], items[i]));
        singles.take(lists[i]);
    }
}

}  // namespace
}  // namespace clearway::simulator
