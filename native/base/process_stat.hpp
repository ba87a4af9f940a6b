// What /proc/PID/stat says of a process (proc(5)). No allocation.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/small_file.hpp"

namespace clearway {

// The fields of /proc/PID/stat as proc(5) numbers them, from the third: the second, a program's name, may hold spaces
// and brackets. Null: there are not so many.
inline const char* stat_field(const char* stat, int number) {
    const char* at = std::strrchr(stat, ')');
    for (int field = 2; at != nullptr && field < number; ++field) {
        at = std::strchr(at, ' ');
        if (at != nullptr) ++at;
    }
    return at;
}

inline std::uint64_t stat_number(const char* stat, int number) {
    const char* at = stat_field(stat, number);
    return at != nullptr ? std::strtoull(at, nullptr, 10) : 0;
}

struct ProcessStat {
    long pid = 0, parent_pid = 0;
    long group = 0, session = 0;             // the processes that lead them
    long terminal = 0;                       // that it is controlled by; 0: none
    char name[32] = "";                      // its program's, or what it calls itself
    std::uint64_t cpu_ticks = 0;             // of all its threads
    std::uint64_t ended_children_ticks = 0;  // of those that it has waited for, and of theirs
    std::uint64_t start_ticks = 0;           // since boot
};

// False, and zeros but for the pid, where nothing can be read of it.
inline bool read_process_stat(long pid, ProcessStat& process) {
    process = {};
    process.pid = pid;
    char path[64], stat[1024];
    std::snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (!read_text(path, stat, sizeof stat)) return false;
    const char* begin = std::strchr(stat, '(');
    const char* end = std::strrchr(stat, ')');
    if (begin == nullptr || end == nullptr || stat_field(stat, 22) == nullptr) return false;
    std::snprintf(process.name, sizeof process.name, "%.*s", static_cast<int>(end - begin - 1), begin + 1);
    process.parent_pid = static_cast<long>(stat_number(stat, 4));
    process.group = static_cast<long>(stat_number(stat, 5));
    process.session = static_cast<long>(stat_number(stat, 6));
    process.terminal = static_cast<long>(stat_number(stat, 7));
    process.ended_children_ticks = stat_number(stat, 16) + stat_number(stat, 17);
    process.cpu_ticks = stat_number(stat, 14) + stat_number(stat, 15);
    process.start_ticks = stat_number(stat, 22);
    return true;
}

}  // namespace clearway
