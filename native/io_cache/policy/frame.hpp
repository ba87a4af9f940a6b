// A frame is room for one record in the cache's memory.
#pragma once

#include <cstdint>

namespace clearway::io_cache {

// From 1: memory fresh from the kernel, all zeros, says "no frame" everywhere.
using FrameId = std::uint32_t;
inline constexpr FrameId kNoFrame = 0;

// Ids of files are below it. There are as many places for each in every policy, also in those that stand for caches of
// other sizes: addresses may be limited.
inline constexpr std::uint32_t kMostFilesAtOnce = 4096;

// Names a record: its file and its place in it.
using RecordKey = std::uint64_t;
inline constexpr int kIndexBits = 40;
inline RecordKey record_key(std::uint32_t file, std::uint64_t index) {
    return std::uint64_t{file} << kIndexBits | index;
}
inline std::uint32_t file_of(RecordKey key) { return static_cast<std::uint32_t>(key >> kIndexBits); }
inline std::uint64_t index_of(RecordKey key) { return key & ((std::uint64_t{1} << kIndexBits) - 1); }

}  // namespace clearway::io_cache
