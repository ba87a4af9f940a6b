#include "simulator/mpi/runnables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "schedule/algorithms.hpp"

namespace clearway::simulator {
namespace {

schedule::Problem problem_of(const std::vector<std::uint32_t>& ranks_on_host) {
    return {.operation = schedule::Operation::alltoall,
            .placement = schedule::place_in_blocks(ranks_on_host),
            .block_bytes = {1'000}};
}

Runnables runnables_of(std::string_view name, const schedule::Problem& problem) {
    schedule::Candidate candidate;
    EXPECT_TRUE(parse(name, candidate));
    return Runnables(problem, candidate);
}

std::size_t copies(const Runnables& runnables, std::uint32_t ranks) {
    std::set<const Runnable*> different;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) different.insert(runnables.of(rank).runnable);
    return different.size();
}

// Ordered: rank r sends to r + 1, r + 2, ...; pairwise: to r XOR 1, r XOR 2, ...; LAM: to 0, 1, 2, ... on every rank.
TEST(Runnables, OneForAllThatDifferByATurn) {
    const schedule::Problem problem = problem_of({1, 1, 1, 1, 1, 1, 1, 1});
    EXPECT_EQ(copies(runnables_of("ordered+barrier", problem), 8), 1U);
    EXPECT_EQ(copies(runnables_of("lam", problem), 8), 1U);
    EXPECT_GT(copies(runnables_of("bruck+token:12000", problem), 8), 1U);
    EXPECT_EQ(copies(runnables_of("pairwise", problem), 8), 1U);
}

TEST(Runnables, OneForAllInADissemination) {
    const schedule::Problem barrier{schedule::Operation::barrier, schedule::place_in_blocks({1, 1, 1, 1, 1}), {1}};
    const Runnables runnables = runnables_of("dissemination", barrier);
    EXPECT_EQ(copies(runnables, 5), 1U);
    EXPECT_EQ(turned(runnables.of(3).runnable->program.steps[2].peer, {3}, 5), 4U);
}

// Of two hosts with 64 ranks each, the leaders exchange 64 × 64 blocks: 8 GiB of 2 MiB each.
TEST(Runnables, HoldMessagesOfMoreThan32Bits) {
    schedule::Problem problem = problem_of({64, 64});
    problem.block_bytes = {2 << 20};
    const Runnables runnables = runnables_of("hierarchical", problem);
    EXPECT_EQ(std::ranges::max(runnables.of(0).runnable->bytes), std::uint64_t{8} << 30);
}

// Whatever is shared says what the rank's own Program would have said.
TEST(Runnables, SayWhatEachProgramSays) {
    for (const schedule::Algorithm& algorithm : schedule::algorithms())
        for (const auto& hosts : {std::vector<std::uint32_t>(7, 1), {2, 2, 2}, {3, 1, 2}, {2, 2, 2, 2}}) {
            const schedule::Problem problem = problem_of(hosts);
            if (!schedule::serves(algorithm, problem.operation)) continue;
            const std::uint32_t ranks = schedule::ranks_of(problem);
            const Runnables runnables = runnables_of(algorithm.name, problem);
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                const schedule::Program own = make_program(algorithm, problem, rank);
                const RankProgram& part = runnables.of(rank);
                ASSERT_EQ(part.runnable->program.steps.size(), own.steps.size()) << algorithm.name;
                for (std::size_t i = 0; i < own.steps.size(); ++i) {
                    const schedule::Step& step = part.runnable->program.steps[i];
                    EXPECT_EQ(step.action, own.steps[i].action);
                    if (own.steps[i].peer != schedule::kNoPeer) {
                        EXPECT_EQ(turned(step.peer, part.turn, ranks), own.steps[i].peer);
                    }
                }
            }
        }
}

}  // namespace
}  // namespace clearway::simulator
