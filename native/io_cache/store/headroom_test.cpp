// In a control group with little memory: the cache stays small, and the kernel kills nothing.
#include "io_cache/store/headroom.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

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

// In the child: more than the group holds goes through a cache that may take more than there is.
int work_in(const std::string& group) {
    if (!put(group + "/cgroup.procs", std::to_string(getpid()))) return 10;
    if (headroom_bytes() > kLimitBytes) return 11;
    RealFile real;
    const std::unique_ptr<Cache> cache(Cache::create({.budget_bytes = std::uint64_t{1} << 30}));
    const FileId id = cache->add(real.backing());
    const std::string data(1 << 20, 'x');
    constexpr int kMegabytes = 600;
    for (off_t i = 0; i < kMegabytes; ++i)
        if (cache->write(id, data.data(), data.size(), i << 20) != static_cast<ssize_t>(data.size())) return 12;
    std::string got(data.size(), '?');
    for (off_t i = 0; i < kMegabytes; ++i)
        if (cache->read(id, got.data(), got.size(), i << 20) != static_cast<ssize_t>(got.size()) || got != data)
            return 13;
    const Statistics done = cache->statistics();
    return done.most_records * done.record_bytes < kLimitBytes && done.most_records > 1000 ? 0 : 14;
}

TEST(Headroom, ACacheLargerThanItsControlGroupStaysWithin) {
    const std::string group = "/sys/fs/cgroup/memory/clearway-headroom-" + std::to_string(getpid());
    if (mkdir(group.c_str(), 0755) != 0) GTEST_SKIP() << "needs root and the memory controller (cgroup v1)";
    ASSERT_TRUE(put(group + "/memory.limit_in_bytes", std::to_string(kLimitBytes)));
    const pid_t child = fork();
    if (child == 0) _exit(work_in(group));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    put(group + "/memory.force_empty", "0");
    EXPECT_EQ(rmdir(group.c_str()), 0);
    ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Headroom, IsNoMoreThanTheHostHas) {
    const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
    EXPECT_LE(headroom_bytes(), pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
    EXPECT_GT(headroom_bytes(), 0u);
}

}  // namespace
}  // namespace clearway::io_cache
