#include "io_cache/store/cache.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "io_cache/testing/real_file.hpp"

namespace clearway::io_cache {
namespace {

constexpr std::size_t kRecord = 4096;

std::string record_of(char letter) { return std::string(kRecord, letter); }

void write_records(Cache& cache, FileId id, int count) {
    for (int i = 0; i < count; ++i)
        ASSERT_EQ(cache.write(id, record_of(static_cast<char>('a' + i % 26)).data(), kRecord, i * kRecord),
                  static_cast<ssize_t>(kRecord));
}

TEST(Cache, RefusesSettingsThatCannotBe) {
    EXPECT_EQ(Cache::create({.budget_bytes = 1 << 20, .record_bytes = 5000, .policy = "lru"}), nullptr);
    EXPECT_EQ(Cache::create({.budget_bytes = 1 << 20, .record_bytes = 512, .policy = "lru"}), nullptr);
    EXPECT_EQ(Cache::create({.budget_bytes = 4096, .record_bytes = 4096, .policy = "lru"}), nullptr);
    EXPECT_EQ(Cache::create({.budget_bytes = 1 << 20, .record_bytes = 4096, .policy = "none such"}), nullptr);
}

TEST(Cache, AFileThatIsDeletedNeverReachesTheDisk) {
    const std::unique_ptr<Cache> cache = cache_of(100, "lru");
    RealFile real;
    const FileId id = cache->add(real.backing());
    write_records(*cache, id, 50);
    cache->drop(id);
    EXPECT_EQ(real.size(), 0);
    EXPECT_EQ(cache->statistics().records_written, 50u);
    EXPECT_EQ(cache->statistics().records_written_file, 0u);
}

TEST(Cache, ASizeThatOthersSeeIsKept) {
    const std::unique_ptr<Cache> cache = cache_of(100, "lru");
    RealFile real;
    const FileId id = cache->add(real.backing());
    cache->keep_size_synced(id, true);
    write_records(*cache, id, 50);
    EXPECT_EQ(real.size(), static_cast<off_t>(50 * kRecord));
    EXPECT_EQ(cache->statistics().records_written_file, 0u);
    ASSERT_EQ(cache->write(id, "end", 3, 100 * kRecord), 3);
    EXPECT_EQ(real.size(), static_cast<off_t>(100 * kRecord + 3));
    EXPECT_EQ(cache->statistics().backing_reads, 0u);  // between the two is nothing, in the file as well
    ASSERT_EQ(cache->truncate(id, 10), 0);
    EXPECT_EQ(real.size(), 10);
    ASSERT_EQ(cache->truncate(id, 5000), 0);
    EXPECT_EQ(real.size(), 5000);
    ASSERT_EQ(cache->flush(id), 0);
    EXPECT_EQ(real.content(), std::string(10, 'a') + std::string(4990, '\0'));
}

TEST(Cache, ASizeIsSettledWithoutTheBytes) {
    const std::unique_ptr<Cache> cache = cache_of(100, "lru");
    RealFile real;
    const FileId id = cache->add(real.backing());
    write_records(*cache, id, 50);
    EXPECT_EQ(real.size(), 0);
    ASSERT_EQ(cache->sync_size(id), 0);
    EXPECT_EQ(real.size(), static_cast<off_t>(50 * kRecord));
    EXPECT_EQ(cache->statistics().records_written_file, 0u);
    char byte = '?';
    ASSERT_EQ(cache->read(id, &byte, 1, 7 * kRecord), 1);
    EXPECT_EQ(byte, 'h');
}

TEST(Cache, FlushWritesWhatFollowsOneAnotherInOneCall) {
    const std::unique_ptr<Cache> cache = cache_of(100, "lru");
    RealFile real;
    const FileId id = cache->add(real.backing());
    write_records(*cache, id, 100);
    ASSERT_EQ(cache->flush(id), 0);
    EXPECT_EQ(real.size(), static_cast<off_t>(100 * kRecord));
    EXPECT_EQ(cache->statistics().backing_writes, 1u);
    ASSERT_EQ(cache->flush(id), 0);
    EXPECT_EQ(cache->statistics().backing_writes, 1u);
}

TEST(Cache, SmallWritesIntoLargeRecordsReadNothing) {
    const std::unique_ptr<Cache> cache = cache_of(8, "lru", 1 << 20);
    RealFile real;
    real.set_content(std::string(4 << 20, 'o'));
    const FileId id = cache->add(real.backing());
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(cache->write(id, "0123456789", 10, 100 + i * 10), 10);
    EXPECT_EQ(cache->statistics().backing_reads, 0u);
    ASSERT_EQ(cache->flush(id), 0);
    const std::string content = real.content();
    EXPECT_EQ(content.substr(0, 102), std::string(100, 'o') + "01");
    EXPECT_EQ(content.substr(10'098, 4), "89oo");
}

TEST(Cache, AMissOfManyRecordsIsOneCall) {
    const std::unique_ptr<Cache> cache = cache_of(200, "lru");
    RealFile real;
    real.set_content(std::string(100 * kRecord, 'o'));
    const FileId id = cache->add(real.backing());
    std::string got(100 * kRecord, '?');
    ASSERT_EQ(cache->read(id, got.data(), got.size(), 0), static_cast<ssize_t>(got.size()));
    EXPECT_EQ(got, real.content());
    EXPECT_EQ(cache->statistics().backing_reads, 1u);
    EXPECT_EQ(cache->statistics().records_read_file, 100u);
    ASSERT_EQ(cache->read(id, got.data(), got.size(), 0), static_cast<ssize_t>(got.size()));
    EXPECT_EQ(cache->statistics().backing_reads, 1u);
    EXPECT_EQ(cache->statistics().records_read, 200u);
}

TEST(Cache, SmallReadsFromFrontToBackAreReadAhead) {
    const std::unique_ptr<Cache> cache = cache_of(500, "next-use");
    RealFile real;
    real.set_content(std::string(400 * kRecord, 'o'));
    const FileId id = cache->add(real.backing());
    std::string got(1000, '?');
    for (std::size_t offset = 0; offset < 400 * kRecord; offset += got.size()) {
        const std::size_t expected = std::min(got.size(), 400 * kRecord - offset);
        ASSERT_EQ(cache->read(id, got.data(), got.size(), static_cast<off_t>(offset)), static_cast<ssize_t>(expected));
    }
    EXPECT_LE(cache->statistics().backing_reads, 400u / 64 + 1);
    EXPECT_EQ(cache->statistics().records_read_file, 400u);
    EXPECT_EQ(cache->statistics().backing_read_bytes, 400 * kRecord);
}

TEST(Cache, ReadsHereAndThereAreNot) {
    const std::unique_ptr<Cache> cache = cache_of(500, "next-use");
    RealFile real;
    real.set_content(std::string(400 * kRecord, 'o'));
    const FileId id = cache->add(real.backing());
    char got[10];
    for (int i = 0; i < 400; ++i) {
        const off_t offset = static_cast<off_t>(i * 37 % 400 * kRecord + 5);
        ASSERT_EQ(cache->read(id, got, sizeof got, offset), 10);
    }
    EXPECT_EQ(cache->statistics().records_read_file, 400u);
    EXPECT_EQ(cache->statistics().backing_reads, 400u);
}

TEST(Cache, EvictionsSayWhetherFilesAreSerial) {
    const std::unique_ptr<Cache> cache = cache_of(8, "lru");
    RealFile first, second;
    const FileId serial = cache->add(first.backing()), other = cache->add(second.backing());
    write_records(*cache, serial, 80);
    for (int i = 0; i < 80; ++i) ASSERT_EQ(cache->write(other, "x", 1, i * 7 % 80 * 5000), 1);
    const Statistics done = cache->statistics();
    EXPECT_EQ(done.evicted_serial, 80u);
    EXPECT_GT(done.evicted_other, 30u);
}

TEST(Cache, KeepFirstHitsInAScanOfMoreThanItHoldsAndLruDoesNot) {
    const auto from_file = [](const char* policy) {
        const std::unique_ptr<Cache> cache = cache_of(50, policy);
        RealFile real;
        const FileId id = cache->add(real.backing());
        write_records(*cache, id, 100);
        std::string got(kRecord, '?');
        for (int scan = 0; scan < 10; ++scan)
            for (int i = 0; i < 100; ++i)
                EXPECT_EQ(cache->read(id, got.data(), kRecord, i * kRecord), static_cast<ssize_t>(kRecord));
        const Statistics done = cache->statistics();
        return static_cast<double>(done.records_read_file) / static_cast<double>(done.records_read);
    };
    EXPECT_EQ(from_file("lru"), 1.0);
    EXPECT_LT(from_file("keep-first"), 0.55);
}

// /dev/full has no room for anything.
TEST(Cache, WhatCannotBeWrittenStaysAndIsReported) {
    const std::unique_ptr<Cache> cache = cache_of(8, "lru");
    int full = open("/dev/full", O_RDWR);
    ASSERT_GE(full, 0);
    RealFile real;
    const FileId unwritable = cache->add(backing_of(&full, 0));
    const FileId other = cache->add(real.backing());
    write_records(*cache, unwritable, 4);

    errno = 0;
    EXPECT_EQ(cache->flush(unwritable), -1);
    EXPECT_EQ(errno, ENOSPC);
    // Another file's records cannot take the room of what cannot be written, and do well without.
    write_records(*cache, other, 40);
    ASSERT_EQ(cache->flush(other), 0);
    EXPECT_EQ(real.size(), static_cast<off_t>(40 * kRecord));
    std::string got(kRecord, '?');
    for (int i = 0; i < 4; ++i) {
        ASSERT_EQ(cache->read(unwritable, got.data(), kRecord, i * kRecord), static_cast<ssize_t>(kRecord));
        EXPECT_EQ(got, record_of(static_cast<char>('a' + i)));
    }
    EXPECT_EQ(cache->flush(unwritable), -1);
    EXPECT_EQ(cache->read(unwritable, got.data(), kRecord, 0), static_cast<ssize_t>(kRecord));
    EXPECT_GT(cache->statistics().write_back_errors, 0u);
    close(full);
}

TEST(Cache, ErrorsOfTheFileReachTheReader) {
    const std::unique_ptr<Cache> cache = cache_of(8, "lru");
    int write_only = open("/tmp", O_TMPFILE | O_WRONLY, 0600);
    ASSERT_EQ(pwrite(write_only, "abc", 3, 0), 3);
    const FileId id = cache->add(backing_of(&write_only, 3));
    char got[3];
    errno = 0;
    EXPECT_EQ(cache->read(id, got, 3, 0), -1);
    EXPECT_EQ(errno, EBADF);
    EXPECT_EQ(cache->read(id, got, 3, 3), 0);
    close(write_only);
}

}  // namespace
}  // namespace clearway::io_cache
