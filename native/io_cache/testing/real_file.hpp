// For tests: an unnamed file of the file system as a backing.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "io_cache/store/cache.hpp"

namespace clearway::io_cache {

inline int fd_of(void* context) { return *static_cast<int*>(context); }

inline Backing backing_of(int* fd, off_t size_bytes) {
    return {.preadv = [](void* context, const iovec* pieces, int count,
                         off_t offset) { return ::preadv(fd_of(context), pieces, count, offset); },
            .pwritev = [](void* context, const iovec* pieces, int count,
                          off_t offset) { return ::pwritev(fd_of(context), pieces, count, offset); },
            .truncate = [](void* context, off_t bytes) { return ::ftruncate(fd_of(context), bytes); },
            .context = fd,
            .size_bytes = size_bytes};
}

class RealFile {
public:
    RealFile() {
        const char* folder = std::getenv("TMPDIR");
        fd_ = open(folder != nullptr ? folder : "/tmp", O_TMPFILE | O_RDWR, 0600);
        EXPECT_GE(fd_, 0);
    }
    ~RealFile() { close(fd_); }
    RealFile(const RealFile&) = delete;
    RealFile& operator=(const RealFile&) = delete;

    Backing backing() { return backing_of(&fd_, size()); }
    off_t size() const { return lseek(fd_, 0, SEEK_END); }

    std::string content() const {
        std::string all(static_cast<std::size_t>(size()), '?');
        EXPECT_EQ(pread(fd_, all.data(), all.size(), 0), static_cast<ssize_t>(all.size()));
        return all;
    }
    void set_content(const std::string& all) const {
        EXPECT_EQ(pwrite(fd_, all.data(), all.size(), 0), static_cast<ssize_t>(all.size()));
    }

private:
    int fd_ = -1;
};

// A cache with room for this many records.
inline std::unique_ptr<Cache> cache_of(std::uint64_t records, const char* policy, std::uint32_t record_bytes = 4096) {
    std::unique_ptr<Cache> cache(
        Cache::create({.budget_bytes = records * (record_bytes + 64), .record_bytes = record_bytes, .policy = policy}));
    EXPECT_NE(cache, nullptr);
    EXPECT_GE(cache->statistics().records_fitting, records);
    return cache;
}

}  // namespace clearway::io_cache
