#include <cstdint>
#include <cstdio>

#include "base/process_stat.hpp"
#include "base/small_file.hpp"
#include "base/text.hpp"
#include "recorder/activity/found.hpp"
#include "recorder/kept_file.hpp"

namespace clearway::recorder {
namespace {

bool is_stopped_by_tracer(unsigned thread) {
    static constinit KeptThreadFile file("stat");
    char stat[1024];
    if (!file.read(thread, stat, sizeof stat)) return false;
    const char* state = stat_field(stat, 3);
    return state != nullptr && *state == 't';
}

}  // namespace

Found found_stopped_by_tracer(unsigned thread, const Found& seen) {
    char path[64], status[4096];
    Found found;
    // It may have gone on since it was seen in a call that waits for nothing: only a tracer stops it there.
    const bool passes_by = seen.activity == Activity::system_call && seen.object[0] >= '0' && seen.object[0] <= '9';
    const bool is_stopped = is_stopped_by_tracer(thread);
    if (!is_stopped && !passes_by) return found;
    if (is_stopped) found.activity = Activity::traced;
    std::uint64_t pid = 0;
    ProcessStat tracer;
    std::snprintf(path, sizeof path, "/proc/self/task/%u/status", thread);
    if (!read_text(path, status, sizeof status) || !number_after(status, "TracerPid:", pid) || pid == 0) return found;
    found.activity = Activity::traced;
    if (read_process_stat(static_cast<long>(pid), tracer)) copy_text(found.object, tracer.name);
    return found;
}

}  // namespace clearway::recorder
