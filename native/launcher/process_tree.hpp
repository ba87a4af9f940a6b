// Who started this process, from /proc.
#pragma once

#include <cstddef>

namespace clearway::launcher {

struct Ancestor {
    int pid;
    int parent_pid;
    unsigned long long start_ticks;  // since boot, in clock ticks; 0 where /proc is not there
};

Ancestor this_process();
Ancestor parent_of_this();
Ancestor parent_of(const Ancestor& process);

// The NUL-separated arguments of a process, ending in NUL. Returns their bytes, 0 where they cannot be read.
long read_command_line(int pid, char* buffer, std::size_t capacity);

}  // namespace clearway::launcher
