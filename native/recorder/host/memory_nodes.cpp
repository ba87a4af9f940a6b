// On which memory node the pages of this process lie, seen from where its main thread runs: a sample of its pages.
// Asking for single pages (move_pages(2) without a destination) costs microseconds; /proc/self/numa_maps would walk
// all page tables.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/process_stat.hpp"
#include "base/small_file.hpp"
#include "recorder/host/cpu_list.hpp"
#include "recorder/host/sources.hpp"

namespace clearway::recorder {
namespace {

constexpr int kMostNodes = 64;
constexpr int kMostProcessors = 4096;
constexpr std::size_t kMostRegions = 256;
constexpr std::size_t kSample = 256;

struct Region {
    std::uintptr_t begin;
    std::uintptr_t end;
};

// Private writable memory: heap, stacks, what malloc maps. Libraries and shared segments are not the rank's to place.
std::size_t writable_regions(Region (&regions)[kMostRegions]) {
    static char text[65536];  // only one thread samples at a time
    std::size_t count = 0;
    if (!read_text("/proc/self/maps", text, sizeof text)) return 0;
    for_each_line(text, [&](char* line) {
        char* at = nullptr;
        const std::uintptr_t begin = std::strtoull(line, &at, 16);
        if (*at != '-' || count == kMostRegions) return;
        const std::uintptr_t end = std::strtoull(at + 1, &at, 16);
        if (std::strncmp(at, " rw-p", 5) == 0) regions[count++] = {begin, end};
    });
    return count;
}

// Addresses of kSample pages, evenly spaced over all regions.
std::size_t spread(const Region* regions, std::size_t count, std::uintptr_t page_bytes, void* (&pages)[kSample]) {
    std::uintptr_t total = 0;
    for (std::size_t i = 0; i < count; ++i) total += (regions[i].end - regions[i].begin) / page_bytes;
    if (total == 0) return 0;
    const std::size_t wanted = std::min<std::uintptr_t>(kSample, total);
    std::size_t region = 0;
    std::uintptr_t before = 0;  // pages of the regions passed
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::uintptr_t page = total * i / wanted;
        while (page - before >= (regions[region].end - regions[region].begin) / page_bytes)
            before += (regions[region].end - regions[region].begin) / page_bytes, ++region;
        pages[i] = reinterpret_cast<void*>(regions[region].begin + (page - before) * page_bytes);
    }
    return wanted;
}

// Field 39 of /proc/self/stat: the processor on which the main thread ran last.
int main_threads_processor() {
    char text[1024];
    if (!read_line("/proc/self/stat", text, sizeof text)) return -1;
    const char* at = stat_field(text, 39);
    return at != nullptr ? std::atoi(at) : -1;
}

int node_of(int processor) {
    int found = -1;
    for (int node = 0; node < kMostNodes && found < 0; ++node) {
        char path[96], list[4096];
        std::snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
        if (!read_line(path, list, sizeof list)) continue;
        for_each_cpu(list, kMostProcessors, [&](int cpu) {
            if (cpu == processor) found = node;
        });
    }
    return found;
}

}  // namespace

void sample_memory_nodes(CounterSet& counters) {
    Region regions[kMostRegions];
    void* pages[kSample];
    int nodes[kSample];
    const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::size_t count = spread(regions, writable_regions(regions), page_bytes, pages);
    const int mine = node_of(main_threads_processor());
    if (count == 0 || mine < 0 || syscall(SYS_move_pages, 0, count, pages, nullptr, nodes, 0) < 0) return;
    const auto resident = std::count_if(nodes, nodes + count, [](int node) { return node >= 0; });
    const auto near = std::count(nodes, nodes + count, mine);
    counters.set("process.sampled_pages_near", static_cast<std::uint64_t>(near));
    counters.set("process.sampled_pages_far", static_cast<std::uint64_t>(resident - near));
}

}  // namespace clearway::recorder
