#include "collectives/executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "collectives/testing/made_up_mpi.hpp"
#include "schedule/candidate.hpp"
#include "schedule/testing/problems.hpp"

namespace {
thread_local std::size_t allocations = 0;  // but for the MPI's own
}

[[gnu::noinline]] void* operator new(std::size_t bytes) {
    if (!clearway::collectives::MadeUpMpi::is_inside) ++allocations;
    if (void* memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace clearway::collectives {
namespace {

using schedule::Action;
using schedule::Buffer;
using Bytes = std::vector<std::byte>;

// Rank 0 of two that sends its blocks 0 and 1, or receives them, side by side: messages of equal direction to one peer.
schedule::Runnable two_messages(Action action, const schedule::Separation& separation) {
    schedule::Program program;
    const Buffer buffer = action == Action::send ? Buffer::send : Buffer::receive;
    program.slots = {{buffer, 0, 1}, {buffer, 1, 1}};
    for (std::uint32_t i = 0; i < 2; ++i) {
        schedule::Step step{};
        step.action = action;
        step.peer = 1;
        (action == Action::send ? step.reads : step.writes) = {i, 1};
        program.steps.push_back(step);
    }
    return schedule::make_runnable(std::move(program), 1, separation);
}

schedule::Separation in_chunks_of(std::uint64_t bytes) {
    schedule::Separation separation;
    separation.chunk_bytes = bytes;
    return separation;
}

struct ExecutorTest : ::testing::Test {
    int run(const schedule::Runnable& runnable) {
        channel.comm = mpi.comm(0);
        Execution execution(mpi.functions(), channel, mpi.comm(0), runnable, exchange(), workspace);
        return execution.run();
    }
    const Exchange& exchange() {
        exchange_.send = {.base = sent.data(), .block_bytes = sent.size() / 2};
        exchange_.receive = {.base = received.data(), .block_bytes = received.size() / 2};
        return exchange_;
    }
    // As rank 1 does in rank 0's first call.
    void peer_sends(std::size_t bytes, int value) {
        Channel there = channel;
        there.calls = 1;
        told_.emplace_back(bytes, static_cast<std::byte>(value));
        mpi.functions().isend(to_arg(told_.back().data()), static_cast<Arg>(bytes), 0, 0, there.tag(0), mpi.comm(1),
                              to_arg(&unused_));
    }

    MadeUpMpi mpi{2};
    Channel channel;
    Workspace workspace;
    Bytes sent = Bytes(6'000), received = Bytes(6'000);

private:
    Exchange exchange_;
    std::list<Bytes> told_;
    void* unused_ = nullptr;
};

// Sixteen chunks are under way at a time, so the last ones of eighteen go when others have ended.
TEST_F(ExecutorTest, NextMessageToAPeerBeginsOnceAllChunksBeforeAreOnTheirWay) {
    sent.resize(2 * 17'500);
    mpi.longest_at_once = 1'000;
    bool waits_between = false;
    mpi.on_wait = [&] { waits_between = waits_between || mpi.sends == 18; };
    EXPECT_EQ(run(two_messages(Action::send, in_chunks_of(1'000))), kMpiSuccess);
    EXPECT_EQ(mpi.sends, 36U);
    EXPECT_FALSE(waits_between);
}

TEST_F(ExecutorTest, AMessageMayEndEarly) {
    mpi.longest_at_once = 1'000;
    peer_sends(1'000, 1);
    peer_sends(400, 2);
    schedule::Program one = two_messages(Action::receive, {}).program;
    one.steps.pop_back();
    EXPECT_EQ(run(schedule::make_runnable(std::move(one), 1, in_chunks_of(1'000))), kMpiSuccess);
    EXPECT_EQ(received[999], std::byte{1});
    EXPECT_EQ(received[1'399], std::byte{2});
    EXPECT_EQ(received[1'400], std::byte{0});
    EXPECT_EQ(mpi.cancelled, 2U);
}

TEST_F(ExecutorTest, WhatFailsToBeginEndsTheCall) {
    int posts = 0;
    mpi.on_post = [&](bool) { return ++posts < 3 ? kMpiSuccess : 7; };
    EXPECT_EQ(run(two_messages(Action::send, in_chunks_of(1'000))), 7);
    EXPECT_EQ(posts, 3);
    EXPECT_EQ(mpi.cancelled, 2U);
}

TEST_F(ExecutorTest, WhatFailsUnderWayEndsTheCallWithItsOwnError) {
    mpi.longest_at_once = 1'000;
    mpi.status_error = 15;
    EXPECT_EQ(run(two_messages(Action::send, in_chunks_of(1'000))), 15);
    EXPECT_EQ(mpi.cancelled, 8U);
}

// Every algorithm with every separation, over an MPI in which things happen in any order.
class Exchanges : public ::testing::TestWithParam<const char*> {};

void run_rank(MadeUpMpi& mpi, const schedule::Problem& problem, const schedule::Candidate& candidate,
              std::uint32_t rank) {
    const std::uint32_t ranks = schedule::ranks_of(problem);
    const bool is_allgather = schedule::is_allgather(problem.operation);
    const auto laid_out = [&](bool is_sent, std::vector<std::int64_t>& offsets, std::vector<std::uint64_t>& sizes) {
        std::int64_t end = 0;
        for (std::uint32_t peer = 0; peer < (is_sent && is_allgather ? 1 : ranks); ++peer) {
            offsets.push_back(end);
            sizes.push_back(is_sent ? schedule::bytes_of_block(problem, rank, peer)
                                    : schedule::bytes_of_block(problem, peer, rank));
            end += static_cast<std::int64_t>(sizes.back()) + 3;
        }
        return Bytes(static_cast<std::size_t>(end));
    };
    const auto value = [&](std::uint32_t from, std::uint32_t to) {
        return static_cast<std::byte>(1 + from * 16 + (is_allgather ? 0 : to));
    };
    std::vector<std::int64_t> send_offsets, receive_offsets;
    std::vector<std::uint64_t> send_sizes, receive_sizes;
    Bytes sent = laid_out(true, send_offsets, send_sizes), received = laid_out(false, receive_offsets, receive_sizes);
    for (std::uint32_t peer = 0; peer < send_sizes.size(); ++peer)
        std::fill_n(sent.begin() + send_offsets[peer], send_sizes[peer], value(rank, peer));
    const Exchange shown{{sent.data(), send_offsets.data(), send_sizes.data(), send_sizes[0]},
                         {received.data(), receive_offsets.data(), receive_sizes.data(), receive_sizes[0]}};
    const schedule::Runnable runnable = schedule::make_runnable(
        make_program(*candidate.algorithm, problem, rank), candidate.algorithm->phases(problem), candidate.separation);
    Channel channel;
    channel.comm = mpi.comm(rank);
    Workspace workspace;
    for (int call = 0; call < 2; ++call) {
        std::ranges::fill(received, std::byte{0});
        Exchange exchange = shown;
        Execution execution(mpi.functions(), channel, mpi.comm(rank), runnable, exchange, workspace);
        exchange = {};  // is a temporary in a call
        const std::size_t before = allocations;
        EXPECT_EQ(execution.run(), kMpiSuccess);
        EXPECT_EQ(allocations, before) << text_of(candidate);
        for (std::uint32_t peer = 0; peer < ranks; ++peer)
            for (std::uint64_t i = 0; i < receive_sizes[peer]; ++i)
                ASSERT_EQ(received[static_cast<std::size_t>(receive_offsets[peer]) + i], value(peer, rank))
                    << text_of(candidate) << ": block of " << peer << " at " << rank;
    }
}

TEST_P(Exchanges, ArriveWholeWithEveryAlgorithm) {
    for (const schedule::Algorithm& algorithm : schedule::algorithms())
        for (const schedule::Operation operation : schedule::kOperations) {
            if (schedule::is_on_vector(operation) || !schedule::serves(algorithm, operation)) continue;
            const schedule::Problem problem = schedule::problem_of(operation, schedule::place_in_blocks({2, 1, 2}), 40);
            schedule::Candidate candidate;
            ASSERT_TRUE(parse(std::string(algorithm.name) + GetParam(), candidate));
            MadeUpMpi mpi(5);
            mpi.longest_at_once = 20;
            std::vector<std::thread> ranks;
            for (std::uint32_t rank = 0; rank < 5; ++rank)
                ranks.emplace_back([&, rank] { run_rank(mpi, problem, candidate, rank); });
            for (std::thread& rank : ranks) rank.join();
        }
}

INSTANTIATE_TEST_SUITE_P(WithEverySeparation, Exchanges,
                         ::testing::Values("", ",chunk:16", "+barrier", "+token", "+token:64,chunk:16", "+credits:48",
                                           "+credits:48,chunk:16", ",pace:100000000"));

}  // namespace
}  // namespace clearway::collectives
