#include "simulator/network/block_queue.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "simulator/events/random.hpp"

namespace clearway::simulator {
namespace {

// Beside a plain queue, of which a reader has seen the first so many.
struct Plain {
    std::deque<std::uint32_t> items;
    std::size_t seen[2] = {};
};

TEST(BlockQueue, DoesAsAPlainQueueDoes) {
    Blocks<std::uint32_t> blocks;
    using Queue = BlockQueue<std::uint32_t, 2>;
    Queue queues[2] = {Queue(blocks), Queue(blocks)};
    Plain plain[2];
    Random random(1);
    for (std::uint32_t i = 0; i < 200'000; ++i) {
        const std::size_t which = random.next() % 2;
        Queue& queue = queues[which];
        auto& [items, seen] = plain[which];
        const std::uint64_t what = random.next() % 8;
        const std::uint32_t reader = what % 2;
        const bool is_growing = i / 1'000 % 2 == 0;  // to some hundreds, and back to none
        if (what < (is_growing ? 4U : 2U)) {
            queue.push() = i;
            items.push_back(i);
        } else if (what < 5 && !items.empty()) {
            ASSERT_EQ(queue.front(), items.front());
            for (std::uint32_t each = 0; each < 2; ++each) {
                ASSERT_EQ(queue.has_seen_front(each), seen[each] > 0);
                if (seen[each] > 0) --seen[each];
            }
            queue.pop();
            items.pop_front();
        } else if (seen[reader] < items.size()) {
            ASSERT_EQ(queue.unseen(reader), items[seen[reader]++]);
            queue.see(reader);
        }
        ASSERT_EQ(queue.empty(), items.empty());
        for (std::uint32_t each = 0; each < 2; ++each) ASSERT_EQ(queue.has_unseen(each), seen[each] < items.size());
    }
}

TEST(BlockQueue, LeavesItsMemoryToOthers) {
    Blocks<std::uint32_t> blocks;
    using Queue = BlockQueue<std::uint32_t, 1>;
    Queue one(blocks), other(blocks);
    for (std::uint32_t i = 0; i < 3 * Blocks<std::uint32_t>::kItems; ++i) one.push() = i;
    auto* const idle = blocks.take();
    blocks.give_back(idle);
    while (!one.empty()) one.pop();
    EXPECT_NE(blocks.take(), idle);  // one that was given back since
    other.push() = 1;
    EXPECT_EQ(other.front(), 1U);
}

}  // namespace
}  // namespace clearway::simulator
