// Every program is run round by round with sets in place of data: a message carries what its sender held before the
// round, and its receiver must expect it.
#include "simulator/workload/usual_algorithms.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace clearway::simulator {
namespace {

using Held = std::vector<std::set<std::uint32_t>>;  // by rank: whose contributions it has

template <typename Make>
Held run(std::uint32_t ranks, Held held, Make make, std::vector<std::uint64_t>* received = nullptr) {
    std::vector<Runnable> programs;
    std::uint32_t phases = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        programs.push_back(make(Member{rank, ranks}));
        phases = std::max(phases, programs.back().phases);
    }
    for (std::uint32_t phase = 0; phase < phases; ++phase) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> expected, sent;
        const Held before = held;
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            for (std::size_t i = 0; i < programs[rank].program.steps.size(); ++i) {
                const schedule::Step& step = programs[rank].program.steps[i];
                if (step.phase != phase) continue;
                const std::uint64_t bytes = programs[rank].bytes[i];
                if (step.action == schedule::Action::send) {
                    sent[{rank, step.peer}] = bytes;
                    continue;
                }
                expected[{step.peer, rank}] = bytes;
                held[rank].insert(before[step.peer].begin(), before[step.peer].end());
                if (received != nullptr) (*received)[rank] += bytes;
            }
        EXPECT_EQ(sent, expected) << ranks << " ranks, round " << phase;
    }
    return held;
}

Held each_its_own(std::uint32_t ranks) {
    Held held(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) held[rank] = {rank};
    return held;
}

// Roots that take part in the power of two, roots that do not, and both ends.
std::set<std::uint32_t> roots_among(std::uint32_t ranks) { return {0, 1 % ranks, ranks / 2, ranks - 1}; }

class UsualAlgorithms : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(ShortAndLong, UsualAlgorithms, testing::Values(8, 2'048, 2'049, 100'000));

TEST_P(UsualAlgorithms, AllreduceBringsAllToAll) {
    for (std::uint32_t ranks = 1; ranks <= 20; ++ranks)
        for (const auto& held :
             run(ranks, each_its_own(ranks), [](Member member) { return allreduce(member, GetParam()); }))
            EXPECT_EQ(held.size(), ranks);
}

TEST_P(UsualAlgorithms, ReduceBringsAllToTheRoot) {
    for (std::uint32_t ranks = 1; ranks <= 20; ++ranks)
        for (const std::uint32_t root : roots_among(ranks)) {
            const Held held =
                run(ranks, each_its_own(ranks), [&](Member member) { return reduce(member, root, GetParam()); });
            EXPECT_EQ(held[root].size(), ranks) << "root " << root;
        }
}

TEST_P(UsualAlgorithms, BcastBringsTheRootsToAll) {
    for (std::uint32_t ranks = 1; ranks <= 20; ++ranks)
        for (const std::uint32_t root : roots_among(ranks)) {
            Held held(ranks);
            held[root] = {root};
            for (const auto& each : run(ranks, held, [&](Member member) { return bcast(member, root, GetParam()); }))
                EXPECT_EQ(each.count(root), 1U);
        }
}

// Rabenseifner: 8 ranks receive 1/2 + 1/4 + 1/8 of the vector while they reduce, and the same while they gather.
TEST(UsualAlgorithmsOfEight, ALongAllreduceMovesTheVectorLessThanTwice) {
    std::vector<std::uint64_t> received(8, 0);
    run(
        8, each_its_own(8), [](Member member) { return allreduce(member, 80'000); }, &received);
    EXPECT_EQ(received, std::vector<std::uint64_t>(8, 2 * (40'000 + 20'000 + 10'000)));
}

}  // namespace
}  // namespace clearway::simulator
