#include "simulator/pool.hpp"

#include <gtest/gtest.h>

#include <map>

#include "simulator/events/random.hpp"

namespace clearway::simulator {
namespace {

struct Item {
    std::uint64_t owner = 0;
    std::uint32_t link = 0;
    std::uint32_t& next_idle() { return link; }
};

// Against a map: nobody gets what another has, and what was given back is used again.
TEST(Pool, GivesEachItemToOne) {
    Random random(1);
    Pool<Item> pool;
    std::map<std::uint32_t, std::uint64_t> taken;
    std::size_t most = 0;
    for (std::uint64_t turn = 1; turn <= 100'000; ++turn) {
        if (random.next() % 5 < 3 || taken.empty()) {
            const std::uint32_t at = pool.take();
            ASSERT_TRUE(taken.emplace(at, turn).second);
            ASSERT_EQ(pool[at].link, 0U);
            pool[at].owner = turn;
        } else {
            const auto chosen = std::next(taken.begin(), static_cast<std::ptrdiff_t>(random.next() % taken.size()));
            ASSERT_EQ(pool[chosen->first].owner, chosen->second);
            pool.give_back(chosen->first);
            taken.erase(chosen);
        }
        most = std::max(most, taken.size());
    }
    EXPECT_LT(std::prev(taken.end())->first, most);
}

}  // namespace
}  // namespace clearway::simulator
