// In a control group with little memory: the cache stays small, and the kernel kills nothing.
#include "io_cache/store/headroom.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "io_cache/testing/real_file.hpp"

namespace clearway::io_cache {
namespace {

constexpr std::uint64_t kLimitBytes = 256 << 20;

bool put(const std::string& path, const std::string& text) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) return false;
    const bool written = std::fputs(text.c_str(), file) >= 0;
    return std::fclose(file) == 0 && written;
}

constexpr off_t kMegabyte = 1 << 20;

// 0, or which of its steps failed.
int scan(Cache& cache, FileId id, int megabytes, bool writes) {
    const std::string data(kMegabyte, 'x');
    std::string got(data.size(), '?');
    for (off_t at = 0; at < megabytes * kMegabyte; at += kMegabyte) {
        const ssize_t moved =
            writes ? cache.write(id, data.data(), data.size(), at) : cache.read(id, got.data(), got.size(), at);
        if (moved != kMegabyte || (!writes && got != data)) return 1;
    }
    return 0;
}

// More than the group holds goes through a cache that may take more than there is.
int work_with_more_than_there_is() {
    if (headroom().bytes > kLimitBytes) return 11;
    RealFile real;
    const std::unique_ptr<Cache> cache(Cache::create({.budget_bytes = std::uint64_t{1} << 30}));
    const FileId id = cache->add(real.backing());
    if (scan(*cache, id, 600, true) != 0) return 12;
    if (scan(*cache, id, 600, false) != 0) return 13;
    const Statistics done = cache->statistics();
    return done.most_records * done.record_bytes < kLimitBytes && done.most_records > 1000 ? 0 : 14;
}

// The program has most of the group's memory, and what the cache may take is just what is left.
int work_beside_a_large_program() {
    const std::string program(160 * kMegabyte, 'p');
    RealFile real;
    const std::unique_ptr<Cache> cache(Cache::create({.budget_bytes = 50 << 20}));
    const FileId id = cache->add(real.backing());
    if (scan(*cache, id, 45, true) != 0 || scan(*cache, id, 45, false) != 0) return 12;
    return cache->statistics().records_read_file == 0 ? 0 : 14;
}

// The cache has most of it, all to be written, when the program comes to need more.
int work_in_a_program_that_grows() {
    RealFile real;
    const std::unique_ptr<Cache> cache(Cache::create({.budget_bytes = 200 << 20}));
    const FileId id = cache->add(real.backing());
    if (scan(*cache, id, 190, true) != 0) return 12;
    std::vector<std::string> program;
    for (int half = 0; half < 200; ++half) {
        program.emplace_back(kMegabyte / 2, 'p');
        if (scan(*cache, id, 1, false) != 0) return 13;
        usleep(20'000);
    }
    return scan(*cache, id, 190, false);
}

void expect_done_in_a_group(int (*work)()) {
    const std::string group = "/sys/fs/cgroup/memory/clearway-headroom-" + std::to_string(getpid());
    if (mkdir(group.c_str(), 0755) != 0) GTEST_SKIP() << "needs root and the memory controller (cgroup v1)";
    ASSERT_TRUE(put(group + "/memory.limit_in_bytes", std::to_string(kLimitBytes)));
    const pid_t child = fork();
    if (child == 0) _exit(put(group + "/cgroup.procs", std::to_string(getpid())) ? work() : 10);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    put(group + "/memory.force_empty", "0");
    EXPECT_EQ(rmdir(group.c_str()), 0);
    ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Headroom, ACacheLargerThanItsControlGroupStaysWithin) { expect_done_in_a_group(work_with_more_than_there_is); }
TEST(Headroom, WhatIsLeftBesideALargeProgramCanBeHad) { expect_done_in_a_group(work_beside_a_large_program); }
TEST(Headroom, AProgramThatGrowsGetsItBack) { expect_done_in_a_group(work_in_a_program_that_grows); }

TEST(Headroom, IsNoMoreThanTheHostHas) {
    const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
    EXPECT_LE(headroom().bytes, pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
    EXPECT_GT(headroom().bytes, 0u);
}

}  // namespace
}  // namespace clearway::io_cache
