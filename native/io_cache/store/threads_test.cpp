// Threads on files of their own and on one that all share, in a cache that is far too small.
#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

#include "io_cache/testing/real_file.hpp"

namespace clearway::io_cache {
namespace {

constexpr int kThreads = 4;
constexpr std::size_t kFileBytes = 400'000;
constexpr int kSteps = 4'000;

// Each thread has its own bytes of the shared file: every fourth stretch.
constexpr std::size_t kStretch = 1000;

void use_files(Cache& cache, FileId own, FileId shared, unsigned thread, std::string& own_bytes) {
    std::mt19937 random(thread + 1);
    std::string got;
    for (int step = 0; step < kSteps; ++step) {
        const std::size_t offset = random() % kFileBytes, bytes = 1 + random() % 20'000;
        const std::size_t stretch = (random() % (kFileBytes / kStretch / kThreads) * kThreads + thread) * kStretch;
        switch (random() % 8) {
            case 0:
                ASSERT_EQ(cache.flush(own), 0);
                break;
            case 1:
                ASSERT_EQ(cache.flush(shared), 0);
                break;
            case 2:
            case 3: {
                const std::string data(bytes, static_cast<char>('a' + random() % 26));
                ASSERT_EQ(cache.write(own, data.data(), bytes, static_cast<off_t>(offset)),
                          static_cast<ssize_t>(bytes));
                own_bytes.resize(std::max(own_bytes.size(), offset + bytes), '\0');
                own_bytes.replace(offset, bytes, data);
                break;
            }
            case 4:
            case 5: {
                const std::string data(kStretch, static_cast<char>('A' + random() % 26));
                ASSERT_EQ(cache.write(shared, data.data(), kStretch, static_cast<off_t>(stretch)), 1000);
                got.assign(kStretch, '?');
                ASSERT_EQ(cache.read(shared, got.data(), kStretch, static_cast<off_t>(stretch)), 1000);
                ASSERT_EQ(got, data);
                break;
            }
            default: {
                const std::string expected = offset < own_bytes.size() ? own_bytes.substr(offset, bytes) : "";
                got.assign(bytes, '?');
                ASSERT_EQ(cache.read(own, got.data(), bytes, static_cast<off_t>(offset)),
                          static_cast<ssize_t>(expected.size()));
                got.resize(expected.size());
                ASSERT_TRUE(got == expected);
            }
        }
    }
}

class Threads : public testing::TestWithParam<const char*> {};

TEST_P(Threads, EachSeesWhatItWrote) {
    const std::unique_ptr<Cache> cache = cache_of(24, GetParam());
    std::vector<RealFile> files(kThreads + 1);
    const FileId shared = cache->add(files[kThreads].backing());
    std::vector<FileId> ids;
    ids.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) ids.push_back(cache->add(files[i].backing()));
    std::vector<std::string> bytes(kThreads);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kThreads; ++i)
        threads.emplace_back([&, i] { use_files(*cache, ids[i], shared, i, bytes[i]); });
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < kThreads; ++i) {
        ASSERT_EQ(cache->flush(ids[i]), 0);
        EXPECT_TRUE(files[i].content() == bytes[i]);
    }
}

INSTANTIATE_TEST_SUITE_P(Policies, Threads, testing::Values("next-use", "lru", "lirs"));

}  // namespace
}  // namespace clearway::io_cache
