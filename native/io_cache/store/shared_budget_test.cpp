// Processes that share one budget of memory.
#include "io_cache/store/shared_budget.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <string>

#include "io_cache/testing/real_file.hpp"

namespace clearway::io_cache {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;
constexpr std::uint64_t kBudget = 64 * kMegabyte;

// Of this test alone, and gone after it.
class SharedBudgetTest : public testing::Test {
protected:
    std::string name_ = "clearway-test." + std::to_string(getpid());
    std::string path_ = "/dev/shm/" + name_;

    void TearDown() override { EXPECT_NE(access(path_.c_str(), F_OK), 0) << "left behind"; }

    std::unique_ptr<Cache> member(std::uint64_t budget_bytes = kBudget) const {
        return std::unique_ptr<Cache>(Cache::create(
            {.budget_bytes = budget_bytes, .shared_budget = name_.c_str(), .alone_bytes = budget_bytes / 4}));
    }
};

std::uint64_t held_bytes(const Cache& cache) { return cache.statistics().most_records * 4096; }

void scan(Cache& cache, FileId id, std::uint64_t megabytes, bool writes) {
    std::string data(kMegabyte, 'x');
    for (std::uint64_t i = 0; i < megabytes; ++i) {
        const auto at = static_cast<off_t>(i * kMegabyte);
        ASSERT_EQ(writes ? cache.write(id, data.data(), data.size(), at) : cache.read(id, data.data(), data.size(), at),
                  static_cast<ssize_t>(kMegabyte));
    }
}

TEST_F(SharedBudgetTest, OneThatNeedsAllGetsNearlyAll) {
    const std::unique_ptr<Cache> idle = member(), busy = member();
    RealFile some, much;
    scan(*idle, idle->add(some.backing()), 1, true);
    scan(*busy, busy->add(much.backing()), 100, true);
    EXPECT_GT(held_bytes(*busy), kBudget * 9 / 10);
    EXPECT_LE(held_bytes(*busy) + held_bytes(*idle), kBudget);
    EXPECT_GT(idle->statistics().records_fitting, busy->statistics().records_fitting);
    EXPECT_EQ(busy->statistics().records_fitting, busy->statistics().most_records) << "it says what it had";
}

TEST_F(SharedBudgetTest, WhoComesLateGetsItsShare) {
    const std::unique_ptr<Cache> first = member(), late = member();
    RealFile files[2];
    const FileId ids[] = {first->add(files[0].backing()), late->add(files[1].backing())};
    scan(*first, ids[0], 100, true);
    scan(*late, ids[1], 100, true);
    for (int i = 0; i < 200 && held_bytes(*late) < kBudget * 4 / 10; ++i) {
        scan(*first, ids[0], 4, false);
        scan(*late, ids[1], 40, false);
    }
    EXPECT_GT(held_bytes(*late), kBudget * 4 / 10);
    EXPECT_LT(held_bytes(*late), kBudget * 6 / 10);
}

TEST_F(SharedBudgetTest, WhatIsDeletedIsFreeForOthers) {
    const std::unique_ptr<Cache> first = member(), second = member();
    RealFile files[2];
    const FileId id = first->add(files[0].backing());
    scan(*first, id, 100, true);
    first->drop(id);
    scan(*second, second->add(files[1].backing()), 100, true);
    EXPECT_GT(held_bytes(*second), kBudget * 9 / 10);
}

TEST_F(SharedBudgetTest, WhatAKilledProcessHadComesBack) {
    SharedBudget ours;
    ASSERT_TRUE(ours.join(name_.c_str(), kBudget));
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        SharedBudget its;
        const bool has_all = its.join(name_.c_str(), kBudget) && its.take(kBudget, 1) == kBudget;
        if (write(ready[1], has_all ? "y" : "n", 1) == 1) pause();
        _exit(1);
    }
    char has_all = '?';
    ASSERT_EQ(read(ready[0], &has_all, 1), 1);
    EXPECT_EQ(has_all, 'y');
    EXPECT_EQ(ours.take(kMegabyte, 1), 0u);
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    std::uint64_t had = 0;
    for (int i = 0; i < 300 && had == 0; ++i) {  // it looks once a second
        usleep(10'000);
        had = ours.take(kBudget, 1);
    }
    EXPECT_EQ(had, kBudget);
    close(ready[0]);
    close(ready[1]);
}

TEST_F(SharedBudgetTest, WhatAKilledJobLeftBehindGoesWithTheNext) {
    const std::string left = name_ + "-left", left_path = "/dev/shm/" + left;
    const pid_t child = fork();
    if (child == 0) {
        SharedBudget its;
        _exit(its.join(left.c_str(), kBudget) ? 0 : 1);  // as if killed: it does not leave
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    ASSERT_EQ(access(left_path.c_str(), F_OK), 0);
    SharedBudget ours;
    ASSERT_TRUE(ours.join(name_.c_str(), kBudget));
    EXPECT_NE(access(left_path.c_str(), F_OK), 0);
}

// In a child: takes and gives back at random, and counts what all have. 0: never more than there is.
int take_and_give(const char* name, std::atomic<std::uint64_t>& held, unsigned seed) {
    std::mt19937 random(seed);
    std::uint64_t own = 0, most = 0;
    SharedBudget budget;
    for (int step = 0; step < 20'000; ++step) {
        if (!budget.is_member() && !budget.join(name, kBudget)) return 2;
        const std::uint64_t bytes = random() % (kBudget / 2);
        if (random() % 2 == 0) {
            const std::uint64_t had = budget.take(bytes, kMegabyte);
            own += had;
            most = std::max(most, held.fetch_add(had) + had);
        } else {
            const std::uint64_t given = std::min(own, bytes);
            own -= given;
            held.fetch_sub(given);
            budget.give_back(given);
        }
        if (random() % 100 == 0) {
            held.fetch_sub(own);
            own = 0;
            budget.leave();
        }
    }
    held.fetch_sub(own);
    return most <= kBudget ? 0 : 1;
}

TEST_F(SharedBudgetTest, FourThatAllAskNeverHaveMoreThanThereIs) {
    auto* held = static_cast<std::atomic<std::uint64_t>*>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(held, MAP_FAILED);
    for (unsigned i = 0; i < 4; ++i)
        if (fork() == 0) _exit(take_and_give(name_.c_str(), *held, i + 1));
    for (int i = 0; i < 4; ++i) {
        int status = 0;
        ASSERT_GT(wait(&status), 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(held->load(), 0u);
    munmap(held, 4096);
}

TEST_F(SharedBudgetTest, WhereItCannotBeSharedEachHasItsPart) {
    const std::unique_ptr<Cache> cache(
        Cache::create({.budget_bytes = kBudget, .shared_budget = "no/such/folder", .alone_bytes = kBudget / 4}));
    RealFile real;
    scan(*cache, cache->add(real.backing()), 40, true);
    EXPECT_GT(held_bytes(*cache), kBudget / 5);
    EXPECT_LE(held_bytes(*cache), kBudget / 4);
}

}  // namespace
}  // namespace clearway::io_cache
