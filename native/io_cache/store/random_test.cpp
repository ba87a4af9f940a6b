// Random requests against a plain string for each file: what is read, and what the real file has in the end, must be
// the same, whatever had to leave the memory meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "io_cache/testing/real_file.hpp"

namespace clearway::io_cache {
namespace {

struct Setting {
    const char* policy;
    std::uint32_t record_bytes;
    std::uint64_t records;
};

class Random : public testing::TestWithParam<Setting> {};

constexpr std::size_t kLargestFile = 300'000;

struct Model {
    RealFile real;
    FileId id = kNoFile;
    std::string bytes;
};

void read_both(Cache& cache, const Model& file, std::size_t offset, std::size_t bytes) {
    std::string got(bytes, '?');
    const ssize_t read = cache.read(file.id, got.data(), bytes, static_cast<off_t>(offset));
    const std::string expected = offset < file.bytes.size() ? file.bytes.substr(offset, bytes) : "";
    ASSERT_EQ(read, static_cast<ssize_t>(expected.size()));
    got.resize(expected.size());
    ASSERT_TRUE(got == expected) << "at " << offset << ", " << bytes << " bytes";
}

void write_both(Cache& cache, Model& file, std::size_t offset, const std::string& data) {
    ASSERT_EQ(cache.write(file.id, data.data(), data.size(), static_cast<off_t>(offset)),
              static_cast<ssize_t>(data.size()));
    file.bytes.resize(std::max(file.bytes.size(), offset + data.size()), '\0');
    file.bytes.replace(offset, data.size(), data);
}

TEST_P(Random, SameAsAPlainFile) {
    const auto [policy, record_bytes, records] = GetParam();
    const std::unique_ptr<Cache> cache = cache_of(records, policy, record_bytes);
    std::mt19937 random(records * 7919 + record_bytes);
    const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };

    std::array<Model, 3> files;
    for (Model& file : files) {
        file.bytes.assign(below(kLargestFile), 'o');
        file.real.set_content(file.bytes);
        file.id = cache->add(file.real.backing());
    }
    for (int step = 0; step < 20'000 && !HasFatalFailure(); ++step) {
        Model& file = files[below(files.size())];
        const std::size_t offset = below(kLargestFile);
        // Mostly small, now and then many records.
        const std::size_t bytes = 1 + below(below(8) == 0 ? 70'000 : 5'000);
        switch (below(20)) {
            case 0: {
                ASSERT_EQ(cache->truncate(file.id, static_cast<off_t>(offset)), 0);
                file.bytes.resize(offset, '\0');
                break;
            }
            case 1: {
                ASSERT_EQ(cache->flush(file.id), 0);
                ASSERT_TRUE(file.real.content() == file.bytes);
                break;
            }
            case 2: {
                ASSERT_EQ(cache->flush(file.id), 0);
                cache->drop(file.id);
                file.id = cache->add(file.real.backing());
                break;
            }
            case 3:
            case 4:
            case 5:
            case 6:
            case 7:
            case 8:
            case 9:
                write_both(*cache, file, offset, std::string(bytes, static_cast<char>('a' + below(26))));
                break;
            default:
                read_both(*cache, file, offset, bytes);
        }
        ASSERT_EQ(cache->size(file.id), static_cast<off_t>(file.bytes.size()));
    }
    for (const Model& file : files) {
        ASSERT_EQ(cache->flush(file.id), 0);
        ASSERT_TRUE(file.real.content() == file.bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(Settings, Random,
                         testing::Values(Setting{"lru", 4096, 4}, Setting{"lru", 4096, 40}, Setting{"lru", 4096, 1000},
                                         Setting{"lru", 65536, 5}, Setting{"keep-first", 4096, 4},
                                         Setting{"keep-first", 4096, 60}, Setting{"keep-first", 16384, 20},
                                         Setting{"lirs", 4096, 4}, Setting{"lirs", 4096, 60},
                                         Setting{"lirs", 16384, 20}, Setting{"next-use", 4096, 4},
                                         Setting{"next-use", 4096, 60}, Setting{"next-use", 65536, 5}));

}  // namespace
}  // namespace clearway::io_cache
