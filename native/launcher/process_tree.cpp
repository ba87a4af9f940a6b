#include "launcher/process_tree.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/small_file.hpp"

namespace clearway::launcher {
namespace {

long read_proc(int pid, const char* name, char* buffer, std::size_t capacity) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    return std::max(0L, read_small_file(path, buffer, capacity));
}

Ancestor describe(int pid) {
    Ancestor process{pid, 0, 0};
    char stat[1024];
    if (read_proc(pid, "stat", stat, sizeof stat) == 0) return process;
    // "pid (name) state ppid … starttime …": the name may hold anything, the last parenthesis ends it.
    const char* after_name = std::strrchr(stat, ')');
    if (after_name == nullptr) return process;
    std::sscanf(after_name + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                &process.parent_pid, &process.start_ticks);
    return process;
}

}  // namespace

Ancestor this_process() { return describe(getpid()); }
Ancestor parent_of_this() { return describe(getppid()); }
Ancestor parent_of(const Ancestor& process) { return describe(process.parent_pid); }

long read_command_line(int pid, char* buffer, std::size_t capacity) {
    return read_proc(pid, "cmdline", buffer, capacity);
}

}  // namespace clearway::launcher
