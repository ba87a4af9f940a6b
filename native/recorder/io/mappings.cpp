#include "recorder/io/mappings.hpp"

#include <atomic>

namespace clearway::recorder {
namespace {

// Programs that flush what they map have few of them. The oldest makes room.
constexpr std::uint32_t kMostMappings = 64;

struct Mapping {
    std::atomic<std::uint64_t> begin;  // 0: none, or being written
    std::atomic<std::uint64_t> bytes;
    std::atomic<FileCell*> cell;
    std::atomic<std::uint16_t> index;
};

Mapping mappings[kMostMappings];
std::atomic<std::uint32_t> noted;

}  // namespace

void note_mapping(const void* begin, std::uint64_t bytes, File file) {
    Mapping& mapping = mappings[noted.fetch_add(1, std::memory_order_relaxed) % kMostMappings];
    mapping.begin.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    mapping.bytes.store(bytes, std::memory_order_relaxed);
    mapping.cell.store(file.cell, std::memory_order_relaxed);
    mapping.index.store(file.index, std::memory_order_relaxed);
    mapping.begin.store(reinterpret_cast<std::uint64_t>(begin), std::memory_order_release);
}

// Nobody tells when a mapping ends. Where another one lies there now, that one is newer.
File mapped_file(const void* address) {
    const std::uint64_t at = reinterpret_cast<std::uint64_t>(address);
    const std::uint32_t newest = noted.load(std::memory_order_acquire);
    for (std::uint32_t age = 1; age <= kMostMappings; ++age) {
        const Mapping& mapping = mappings[(newest - age) % kMostMappings];
        const std::uint64_t begin = mapping.begin.load(std::memory_order_acquire);
        if (begin != 0 && at >= begin && at - begin < mapping.bytes.load(std::memory_order_relaxed))
            return {mapping.cell.load(std::memory_order_relaxed), mapping.index.load(std::memory_order_relaxed)};
    }
    return {};
}

}  // namespace clearway::recorder
