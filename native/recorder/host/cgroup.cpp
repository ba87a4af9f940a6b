// What the control group of this process grants it: processors and memory, and how often it ran out of its share.
// Version 2 (cpu.max, memory.max) and version 1 (cpu.cfs_quota_us, memory.limit_in_bytes). The tightest limit on the
// way up to the root counts.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "base/small_file.hpp"
#include "base/text.hpp"
#include "recorder/host/control_group.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kHugeBytes = std::uint64_t{1} << 60;  // version 1 writes "no limit" as a number near 2^63
constexpr int kMostLevels = 32;

// The levels that grant least, as they were when the process began: what is counted there is what held it back.
Group processors_from, memory_from;

// Thousandths of a processor that this level grants.
std::uint64_t granted_milli_cpus(const Group& group) {
    char text[64], period[64];
    if (read_of(group, "cpu.max", text, sizeof text)) {
        char* rest = nullptr;
        const std::uint64_t quota = std::strtoull(text, &rest, 10);
        const std::uint64_t of = rest != text ? std::strtoull(rest, nullptr, 10) : 0;
        return of > 0 ? quota * 1000 / of : kNoLimit;
    }
    if (!read_of(group, "cpu.cfs_quota_us", text, sizeof text) ||
        !read_of(group, "cpu.cfs_period_us", period, sizeof period) || text[0] == '-')
        return kNoLimit;
    const std::uint64_t of = std::strtoull(period, nullptr, 10);
    return of > 0 ? std::strtoull(text, nullptr, 10) * 1000 / of : kNoLimit;
}

std::uint64_t granted_bytes(const Group& group) {
    char text[64];
    if (!read_of(group, "memory.max", text, sizeof text) && !read_of(group, "memory.limit_in_bytes", text, sizeof text))
        return kNoLimit;
    char* rest = nullptr;
    const std::uint64_t bytes = std::strtoull(text, &rest, 10);
    return rest != text && bytes < kHugeBytes ? bytes : kNoLimit;
}

// Beyond so much, version 2 slows its processes down while it takes memory back from them.
std::uint64_t slowed_beyond_bytes(const Group& group) {
    char text[64];
    if (!read_of(group, "memory.high", text, sizeof text)) return kNoLimit;
    char* rest = nullptr;
    const std::uint64_t bytes = std::strtoull(text, &rest, 10);
    return rest != text ? bytes : kNoLimit;
}

// `where`: the level that grants least.
template <class Grant>
std::uint64_t tightest(const char* controller, Grant grant, Group& where) {
    std::uint64_t least = kNoLimit;
    Group group{};
    if (!find_group(controller, group)) return least;
    for (int level = 0; level < kMostLevels; ++level) {
        const std::uint64_t granted = grant(group);
        if (granted < least) {
            least = granted;
            where = group;
        }
        if (!rise(group)) break;
    }
    return least;
}

// "throttled_usec 12" (version 2) or "throttled_time 12000" (version 1, nanoseconds), beside nr_periods, nr_throttled.
void sample_processors(const Group& group, CounterSet& counters) {
    char path[1200], text[1024];
    std::snprintf(path, sizeof path, "%s/cpu.stat", group.path);
    if (!read_text(path, text, sizeof text)) return;
    std::uint64_t number = 0;
    if (number_after(text, "throttled_usec", number))
        counters.set("process.cgroup_throttled_us", number);
    else if (number_after(text, "throttled_time", number))
        counters.set("process.cgroup_throttled_us", number / 1000);
    if (number_after(text, "nr_periods", number)) counters.set("process.cgroup_periods", number);
    if (number_after(text, "nr_throttled", number)) counters.set("process.cgroup_throttled_periods", number);
}

// How often the limit was met, and processes killed for it. Version 2 counts those of the levels below, too.
void sample_limit(const Group& group, CounterSet& counters) {
    char path[1200], text[1024];
    std::uint64_t number = 0, high = 0;
    std::snprintf(path, sizeof path, "%s/memory.events", group.path);
    if (read_text(path, text, sizeof text)) {
        if (number_after(text, "\nhigh ", high) && number_after(text, "\nmax ", number))
            counters.set("process.cgroup_memory_hits", high + number);
        if (number_after(text, "\noom_kill ", number)) counters.set("process.cgroup_oom_kills", number);
    } else if (read_of(group, "memory.failcnt", text, sizeof text)) {
        counters.set("process.cgroup_memory_hits", std::strtoull(text, nullptr, 10));
    }
}

// Where version 1 counts who was killed: in the group of the victim itself.
void sample_killed(const Group& group, CounterSet& counters) {
    char path[1200], text[1024];
    std::uint64_t number = 0;
    std::snprintf(path, sizeof path, "%s/memory.oom_control", group.path);
    if (read_text(path, text, sizeof text) && number_after(text, "oom_kill ", number))
        counters.set("process.cgroup_oom_kills", number);
}

// "some avg10=… total=12", microseconds in which a process of the group waited for memory; version 2 only.
void sample_memory_pressure(const Group& group, CounterSet& counters) {
    char text[256];
    std::uint64_t us = 0;
    if (read_of(group, "memory.pressure", text, sizeof text) && number_after(text, "total=", us))
        counters.set("process.cgroup_memory_stalled_us", us);
}

// Processors that the group may use at all, "0-3,8": of the nearest level that tells.
void describe_cpuset() {
    Group group{};
    if (!find_group("cpuset", group)) return;
    char text[sizeof Fact::text];
    for (int level = 0; level < kMostLevels; ++level) {
        for (const char* file : {"cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"})
            if (read_of(group, file, text, sizeof text) && text[0] != '\0')
                return add_fact("process.cgroup_cpuset", text);
        if (!rise(group)) return;
    }
}

}  // namespace

void describe_cgroup() {
    describe_cpuset();
    char text[32];
    const std::uint64_t milli = tightest("cpu", granted_milli_cpus, processors_from);
    if (milli != kNoLimit) {
        std::snprintf(text, sizeof text, "%llu.%03llu", static_cast<unsigned long long>(milli / 1000),
                      static_cast<unsigned long long>(milli % 1000));
        add_fact("process.cgroup_cpus", text);
        add_fact("process.cgroup_cpus_at", processors_from.path);
    }
    Group high_at{};
    const std::uint64_t high = tightest("memory", slowed_beyond_bytes, high_at);
    const std::uint64_t bytes = tightest("memory", granted_bytes, memory_from);
    for (const auto& [name, limit] :
         {std::pair{"process.cgroup_memory_bytes", bytes}, std::pair{"process.cgroup_memory_high_bytes", high}}) {
        if (limit == kNoLimit) continue;
        std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(limit));
        add_fact(name, text);
    }
    if (high < bytes) memory_from = high_at;
    if (memory_from.path[0] != '\0') add_fact("process.cgroup_memory_at", memory_from.path);
}

void sample_cgroup(CounterSet& counters) {
    Group own{};
    if (processors_from.path[0] != '\0')
        sample_processors(processors_from, counters);
    else if (find_group("cpu", own))
        sample_processors(own, counters);
    if (!find_group("memory", own)) return;
    const Group& limited = memory_from.path[0] != '\0' ? memory_from : own;
    sample_limit(limited, counters);
    sample_memory_pressure(limited, counters);
    sample_killed(own, counters);
}

}  // namespace clearway::recorder
