#include "recorder/profile/switches.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "recorder/clock.hpp"
#include "recorder/threads/thread_uses.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint64_t kMostInSecond = 3000;          // three thousandths of the time
constexpr std::uint64_t kShortest_ns = 50'000'000;     // between two readings that tell a rate
constexpr std::uint64_t kHardly_ns = 1'000'000;        // of a processor: enough for some 500 changes, no more
constexpr std::uint64_t kFirstPause_ns = 500'000'000;  // MPI_Init and reading input switch often, and soon end
constexpr std::uint64_t kLongestPause_ns = 8'000'000'000;

}  // namespace

// The third number of schedstat (Documentation/scheduler/sched-stats.rst): how often the thread was given a processor.
void Switches::count(unsigned tid, std::uint64_t now_ns) {
    char path[64], text[96];
    std::snprintf(path, sizeof path, "/proc/self/task/%u/schedstat", tid);
    char* rest = text;
    if (!schedstat_.read(path, text, sizeof text)) return;
    for (int i = 0; i < 2; ++i) std::strtoull(rest, &rest, 10);
    const std::uint64_t number = std::strtoull(rest, nullptr, 10);
    const std::uint64_t since_ns = now_ns - counted_ns_;
    if (counted_ns_ != 0) {
        few_ = (number - number_) * 1'000'000'000 <= kMostInSecond * since_ns;
        if (!few_) {
            pause_ns_ = std::clamp(2 * pause_ns_, kFirstPause_ns, kLongestPause_ns);
            pause_ends_ns_ = now_ns + pause_ns_;
        }
    }
    number_ = number;
    counted_ns_ = now_ns;
}

// Its own clock costs a tenth of reading its schedstat, and most threads of a program only sleep.
bool Switches::has_hardly_run(unsigned tid) {
    const std::uint64_t cpu_ns = cpu_ns_of(tid);
    if (counted_ns_ != 0 && cpu_ns < cpu_ns_ + kHardly_ns) return true;
    cpu_ns_ = cpu_ns;
    return false;
}

bool Switches::are_few(unsigned tid) {
    const std::uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    if (now_ns < pause_ends_ns_) {
        counted_ns_ = 0;
        return false;
    }
    if (now_ns >= counted_ns_ + kShortest_ns && !has_hardly_run(tid)) count(tid, now_ns);
    return few_ && now_ns >= pause_ends_ns_;
}

void Switches::forget() {
    schedstat_.close();
    number_ = counted_ns_ = cpu_ns_ = pause_ns_ = pause_ends_ns_ = 0;
    few_ = false;
}

}  // namespace clearway::recorder
