#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/process_stat.hpp"
#include "base/small_file.hpp"
#include "recorder/activity/found.hpp"
#include "recorder/kept_file.hpp"

namespace clearway::recorder {
namespace {

// Where the kernel does not tell the system call (without CONFIG_HAVE_ARCH_TRACEHOOK, in some sandboxes).
Found by_state(unsigned thread) {
    char path[64], stat[1024];
    std::snprintf(path, sizeof path, "/proc/self/task/%u/stat", thread);
    Found found;
    if (!read_record(path, stat, sizeof stat)) return found;
    const char* state = stat_field(stat, 3);
    if (state == nullptr || *state == 'R') found.activity = Activity::running;
    return found.activity == Activity::running ? found : found_in_kernel(thread);
}

Found waiting_for_memory() {
    Found found;
    found.activity = Activity::memory;
    return found;
}

}  // namespace

// "running", or "35 0x7ffc… 0x0 … sp pc", or "-1 sp pc" where it is blocked in no system call: in a page fault.
Found look_at(unsigned thread) {
    static constinit KeptThreadFile file("syscall");
    char text[256];
    if (!file.read(thread, text, sizeof text)) return by_state(thread);
    if (std::strncmp(text, "running", 7) == 0) {
        Found found;
        found.activity = Activity::running;
        return found;
    }
    char* rest = nullptr;
    SystemCall call{thread, std::strtol(text, &rest, 10), {}};
    if (rest == text) return by_state(thread);
    if (call.number < 0) return waiting_for_memory();
    for (std::uint64_t& argument : call.arguments) argument = std::strtoull(rest, &rest, 16);
    return found_in(call);
}

}  // namespace clearway::recorder
