// Whether the whole process stood still for a while: stopped by SIGSTOP, a debugger, a frozen control group, a batch
// system that suspends jobs. No thread of a stopped process can notice that while it lasts. Afterwards the sampler
// finds that its sleep, or its work, lasted far too long, though it never waited for a processor, and that nobody else
// ran, either.
#pragma once

#include <cstdint>

namespace clearway::recorder {

// What the sampler can know at a moment; all but the first are counted from its start, or the process's.
struct Moment {
    std::uint64_t wall_ns = 0, run_delay_ns = 0;
    std::uint64_t cpu_ns = 0;  // of all threads of the process
    long page_faults = 0;      // for which the sampler waited until a page came from a disk
    long blocks_written = 0;   // pages of the record that its file system, which may be slow, had to be asked for
    long given_up = 0;         // processors that the sampler gave away, to wait: a stop is one of these
};

// What is shorter may be a control group's quota: it holds processes back for less than its period, mostly 100 ms.
inline constexpr std::uint64_t kShortestStandstill_ns = 250'000'000;

// For how long the process had been stopped, of a sleep that should have lasted `asked_ns`; mostly 0.
constexpr std::uint64_t stopped_asleep_ns(const Moment& from, const Moment& to, std::uint64_t asked_ns) {
    const std::uint64_t lasted_ns = to.wall_ns - from.wall_ns;
    if (lasted_ns < asked_ns + kShortestStandstill_ns) return 0;
    // Of a process that went on meanwhile only this thread was held up.
    if (to.page_faults != from.page_faults) return 0;
    const std::uint64_t taken_ns = asked_ns + (to.run_delay_ns - from.run_delay_ns) + (to.cpu_ns - from.cpu_ns);
    return lasted_ns >= taken_ns + kShortestStandstill_ns ? lasted_ns - taken_ns : 0;
}

// The same of what the sampler did awake. Most of its work takes microseconds, but where cores are scarce it is often
// at it when the process is stopped. Its files may hold it up as well: then nothing is known.
constexpr std::uint64_t stopped_at_work_ns(const Moment& from, const Moment& to) {
    const bool by_files = to.blocks_written != from.blocks_written || to.given_up > from.given_up + 1;
    return by_files ? 0 : stopped_asleep_ns(from, to, 0);
}

// Asked of the sampler's own thread.
Moment this_moment();

}  // namespace clearway::recorder
