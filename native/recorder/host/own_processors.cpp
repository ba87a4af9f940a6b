// How busy the processors are on which this process may run, where these are not all of the machine's: what others do
// on the rest does not disturb it.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/small_file.hpp"
#include "recorder/host/affinity.hpp"
#include "recorder/host/counter_set.hpp"
#include "recorder/host/sources.hpp"

namespace clearway::recorder {
namespace {

// Room for the lines of 400 processors; what does not fit is not known, and then nothing is said.
char stat_text[48 * 1024];

}  // namespace

// "cpu3 user nice system idle iowait irq softirq …", in clock ticks (proc(5)). Called by one thread at a time.
void sample_own_processors(CounterSet& counters) {
    const Processors& processors = processors_at_start();
    if (processors.bytes <= 0) return;
    long mine = 0;
    for (const unsigned long word : processors.words) mine += __builtin_popcountl(word);
    if (mine >= sysconf(_SC_NPROCESSORS_ONLN)) return;
    if (!read_text("/proc/stat", stat_text, sizeof stat_text)) return;
    long seen = 0;
    std::uint64_t busy = 0;
    for_each_line(stat_text, [&](char* line) {
        if (std::strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9') return;
        char* at = nullptr;
        const unsigned long cpu = std::strtoul(line + 3, &at, 10);
        if (!processors.has(cpu)) return;
        ++seen;
        std::uint64_t ticks[6] = {};
        for (auto& value : ticks) value = std::strtoull(at, &at, 10);
        busy += ticks[0] + ticks[1] + ticks[2] + ticks[5];
    });
    if (seen != mine) return;
    const auto ms_per_tick = static_cast<std::uint64_t>(1000 / std::max(1L, sysconf(_SC_CLK_TCK)));
    counters.set("process.own_cpus_busy_ms", busy * ms_per_tick);
}

}  // namespace clearway::recorder
