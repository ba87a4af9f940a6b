#include <gtest/gtest.h>

#include <cstring>

#include "io_cache/store/base_content.hpp"
#include "io_cache/testing/real_file.hpp"

namespace clearway::io_cache {
namespace {

constexpr std::size_t kRecord = 4096;

struct Both {
    std::unique_ptr<Cache> cache = cache_of(100, "lru");
    RealFile real;
    Backing file = real.backing();
    FileId id = cache->add(file);

    void ours(const std::string& bytes, off_t at) const {
        ASSERT_EQ(cache->write(id, bytes.data(), bytes.size(), at), static_cast<ssize_t>(bytes.size()));
    }
    void theirs(const std::string& bytes, off_t at) const {
        const iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
        ASSERT_EQ(file.pwritev(file.context, &piece, 1, at), static_cast<ssize_t>(bytes.size()));
    }
    Merged merge() const {
        const Merged merged = cache->merge(id, real.size());
        EXPECT_EQ(merged.error, 0);
        EXPECT_EQ(cache->flush(id), 0);
        return merged;
    }
    std::string at(std::size_t offset, std::size_t bytes) const { return real.content().substr(offset, bytes); }
};

TEST(Merge, OfNewBytesThoseStayThatOthersDidNotWrite) {
    const Both both;
    both.ours(std::string(3 * kRecord, 'a'), 0);
    both.theirs("bbb", 5);
    both.theirs("ccc", kRecord - 1);
    EXPECT_EQ(both.merge().others_bytes, kRecord - 5 + 2);  // of one record, from the first to the last
    EXPECT_EQ(both.at(0, 5), "aaaaa");
    EXPECT_EQ(both.at(5, 3), "bbb");
    EXPECT_EQ(both.at(kRecord - 1, 4), "ccca");
    EXPECT_EQ(both.at(2 * kRecord, kRecord), std::string(kRecord, 'a'));
}

TEST(Merge, NumbersAreNotTorn) {
    const Both both;
    const double one = 1;  // six of its bytes are zeros
    std::string bytes(sizeof one, '\0');
    std::memcpy(bytes.data(), &one, sizeof one);
    both.ours(std::string(kRecord, 'a'), 0);
    both.theirs(bytes, 80);
    both.merge();
    EXPECT_EQ(both.at(79, 10), "a" + bytes + "a");
}

TEST(Merge, ARecordThatWasChangedIsTheirs) {
    const Both both;
    both.ours(std::string(2 * kRecord, 'a'), 0);
    ASSERT_EQ(both.cache->flush(both.id), 0);
    both.ours("new", 10);
    both.ours("new", kRecord + 10);
    both.theirs("b", 100);
    EXPECT_EQ(both.merge().others_bytes, 3u);
    EXPECT_EQ(both.at(10, 3), "aaa");
    EXPECT_EQ(both.at(100, 1), "b");
    EXPECT_EQ(both.at(kRecord + 10, 3), "new");
}

TEST(Merge, WhatTheyCutOffIsGone) {
    const Both both;
    both.cache->keep_size_synced(both.id, true);
    both.ours(std::string(2 * kRecord, 'a'), 0);
    ASSERT_EQ(both.file.truncate(both.file.context, 10), 0);
    EXPECT_GT(both.merge().others_bytes, 0u);
    EXPECT_EQ(both.real.content(), std::string(10, 'a'));
}

TEST(Merge, WithoutOthersAllIsOurs) {
    const Both both;
    both.ours(std::string(2 * kRecord, 'a'), 0);
    ASSERT_EQ(both.cache->flush(both.id), 0);
    both.ours(std::string(kRecord, 'c'), 1000);
    both.ours("end", 5 * kRecord);
    EXPECT_EQ(both.merge().others_bytes, 0u);
    EXPECT_EQ(both.at(1000, kRecord), std::string(kRecord, 'c'));
    EXPECT_EQ(both.at(5 * kRecord, 3), "end");
}

TEST(Merge, TheSignsOfTwoNumbersCount) {
    std::byte bytes[64]{};
    const std::uint64_t before = sum_of_content(bytes, sizeof bytes);
    bytes[7] = bytes[15] = std::byte{0x80};
    EXPECT_NE(sum_of_content(bytes, sizeof bytes), before);
    std::byte zeros[16]{};
    EXPECT_EQ(sum_of_content(zeros, 3), sum_of_content(zeros, 16));  // what lies beyond the end need not be there
}

}  // namespace
}  // namespace clearway::io_cache
