// What is said of other sizes, held against caches of these sizes.
#include "io_cache/statistics/miss_ratio_curve.hpp"

#include <gtest/gtest.h>

#include <random>

#include "io_cache/testing/real_file.hpp"

namespace clearway::io_cache {
namespace {

constexpr std::size_t kRecord = 4096;
constexpr std::uint64_t kRecords = 6000;  // of the file: some 24 MB

// Moves between memory and file with this much memory, and the curve that the cache gave.
struct Moved {
    std::uint64_t fetched, stored;
    MissRatioCurve::Points curve;
};

template <class Work>
Moved moved_by(Work work, std::uint64_t budget_bytes) {
    RealFile real;
    const std::unique_ptr<Cache> cache(Cache::create({.budget_bytes = budget_bytes + budget_bytes / 50}));
    const FileId id = cache->add(real.backing());
    work(*cache, id);
    cache->drop(id);
    const Statistics done = cache->statistics();
    return {done.records_read_file, done.records_written_file, cache->miss_ratio_curve()};
}

void write_all_records(Cache& cache, FileId id) {
    const std::string data(kRecord * 10, 'x');
    for (std::uint64_t index = 0; index < kRecords; index += 10)
        ASSERT_EQ(cache.write(id, data.data(), data.size(), static_cast<off_t>(index * kRecord)),
                  static_cast<ssize_t>(data.size()));
}

void scan(Cache& cache, FileId id) {
    write_all_records(cache, id);
    std::string got(kRecord * 10, '?');
    for (int pass = 0; pass < 8; ++pass)
        for (std::uint64_t index = 0; index < kRecords; index += 10)
            ASSERT_GT(cache.read(id, got.data(), got.size(), static_cast<off_t>(index * kRecord)), 0);
}

// Most reads go to a part of the file.
void read_at_random(Cache& cache, FileId id) {
    write_all_records(cache, id);
    std::mt19937 random(7);
    std::string got(kRecord, '?');
    for (int i = 0; i < 60'000; ++i) {
        const std::uint64_t index = random() % 4 == 0 ? random() % kRecords : random() % 1500;
        ASSERT_GT(cache.read(id, got.data(), got.size(), static_cast<off_t>(index * kRecord)), 0);
    }
}

// `off`: by which part of it the sample may be wrong.
void expect_curve_as_measured(void (*work)(Cache&, FileId), double off) {
    const MissRatioCurve::Points curve = moved_by(work, 1 << 20).curve;
    ASSERT_GE(curve.count, 4);
    for (int i = 1; i + 1 < curve.count; ++i) {  // the smallest of all is a handful of records of the sample
        const SizePoint& said = curve.at[i];
        const Moved measured = moved_by(work, said.size_bytes);
        const auto moved = static_cast<double>(measured.fetched + measured.stored);
        EXPECT_NEAR(static_cast<double>(said.fetched_records + said.stored_records), moved, moved * off)
            << said.size_bytes;
    }
    const SizePoint& enough = curve.at[curve.count - 1];
    EXPECT_EQ(enough.fetched_records + enough.stored_records, 0u);
    EXPECT_NEAR(static_cast<double>(enough.size_bytes), kRecords * kRecord, kRecords * kRecord / 10.0);
}

TEST(MissRatioCurve, OfScansIsAsMeasured) { expect_curve_as_measured(scan, 0.2); }
TEST(MissRatioCurve, OfReadsHereAndThereIsAsMeasured) { expect_curve_as_measured(read_at_random, 0.35); }

TEST(MissRatioCurve, SaysNothingOfNothing) {
    const std::unique_ptr<Cache> cache = cache_of(100, "next-use");
    EXPECT_EQ(cache->miss_ratio_curve().count, 0);
}

}  // namespace
}  // namespace clearway::io_cache
