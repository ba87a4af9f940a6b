// What it costs this kernel to give a process a page and to take it back: to find it, to clear it, and in virtual
// machines more.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "recorder/clock.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr std::size_t kPages = 64;  // a tenth of a millisecond: most rounds are not interrupted
constexpr int kRounds = 12;

// Touches fresh pages and gives them back; 0 where there are none. Not by the job's allocator.
std::uint64_t touch_pages_ns(std::size_t page_bytes) {
    void* room = reinterpret_cast<void*>(
        syscall(SYS_mmap, nullptr, kPages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L));
    if (room == MAP_FAILED) return 0;
    const std::uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
    auto* bytes = static_cast<volatile char*>(room);
    for (std::size_t page = 0; page < kPages; ++page) bytes[page * page_bytes] = 1;
    syscall(SYS_munmap, room, kPages * page_bytes);
    return clock_ns(CLOCK_MONOTONIC) - begin_ns;
}

}  // namespace

void describe_page_faults() {
    const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::uint64_t least_ns = UINT64_MAX;  // the others were interrupted
    for (int round = 0; round < kRounds; ++round) least_ns = std::min(least_ns, touch_pages_ns(page_bytes));
    char text[32];
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(least_ns / kPages));
    if (least_ns > 0) add_host_fact("memory.page_fault_ns", text);
}

}  // namespace clearway::recorder
