// Threads on files of their own and on one that all share, in a cache that is far too small.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
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
        switch (random() % 9) {
            case 0:
                ASSERT_EQ(cache.flush(own), 0);
                break;
            case 8:
                if (random() % 4 != 0) break;
                ASSERT_EQ(cache.truncate(own, static_cast<off_t>(offset)), 0);
                own_bytes.resize(offset, '\0');
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

// A file's records are written back for another's that need their room, just when the file is cut.
struct CutFile {
    RealFile real;
    Backing plain = real.backing();
    Cache* cache = nullptr;
    std::atomic<bool> is_writing{false}, is_cut{false};

    template <class Condition>
    static void wait_until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    }
    static ssize_t write(void* context, const iovec* pieces, int count, off_t offset) {
        auto& self = *static_cast<CutFile*>(context);
        self.is_writing = true;
        wait_until([&] { return self.is_cut.load(); });
        return self.plain.pwritev(self.plain.context, pieces, count, offset);
    }
    static int cut(void* context, off_t bytes) {
        auto& self = *static_cast<CutFile*>(context);
        const int result = self.plain.truncate(self.plain.context, bytes);
        self.is_cut = true;
        wait_until([&] { return self.cache->statistics().backing_writes > 0; });  // it has been noted
        return result;
    }
};

TEST(Cut, WhileItIsWrittenBack) {
    const std::unique_ptr<Cache> cache = cache_of(8, "lru");
    const auto frames = cache->statistics().records_fitting;
    CutFile file;
    file.real.set_content("here");
    file.plain = file.real.backing();
    file.cache = cache.get();
    RealFile other;
    const FileId cut = cache->add({.preadv =
                                       [](void* context, const iovec* pieces, int count, off_t offset) {
                                           const Backing& plain = static_cast<CutFile*>(context)->plain;
                                           return plain.preadv(plain.context, pieces, count, offset);
                                       },
                                   .pwritev = CutFile::write,
                                   .truncate = CutFile::cut,
                                   .context = &file,
                                   .size_bytes = 4});
    const FileId needs_room = cache->add(other.backing());
    const std::string record(4096, 'x');
    for (std::uint64_t i = 0; i < frames; ++i)
        ASSERT_EQ(cache->write(cut, record.data(), 4096, static_cast<off_t>(i) * 4096), 4096);
    std::thread thread([&] { EXPECT_EQ(cache->write(needs_room, record.data(), 4096, 0), 4096); });
    CutFile::wait_until([&] { return file.is_writing.load(); });
    ASSERT_EQ(cache->truncate(cut, 2), 0);
    thread.join();
    ASSERT_EQ(cache->write(cut, "end", 3, 10'000), 3);
    ASSERT_EQ(cache->flush(cut), 0);
    EXPECT_TRUE(file.real.content() == "xx" + std::string(9998, '\0') + "end");
}

INSTANTIATE_TEST_SUITE_P(Policies, Threads, testing::Values("next-use", "lru", "lirs"));

}  // namespace
}  // namespace clearway::io_cache
