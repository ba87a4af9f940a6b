#include "io_cache/store/process_mark.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/process_stat.hpp"
#include "base/small_file.hpp"

namespace clearway::io_cache {

namespace {

constexpr int kTimeBits = 40;  // of ticks since the host was started: 300 years of them

std::uint64_t began_ticks(const char* stat) { return stat_number(stat, 22); }

ProcessMark mark_of(std::uint64_t process, std::uint64_t ticks) {
    return process << kTimeBits | (ticks & ((std::uint64_t{1} << kTimeBits) - 1));
}

}  // namespace

ProcessMark own_process_mark() {
    char stat[1024];
    if (read_small_file("/proc/self/stat", stat, sizeof stat) < 0) return kNoProcess;
    return mark_of(static_cast<std::uint64_t>(syscall(SYS_getpid)), began_ticks(stat));
}

bool is_running(ProcessMark mark) {
    const std::uint64_t process = mark >> kTimeBits;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%llu/stat", static_cast<unsigned long long>(process));
    char stat[1024];
    const long length = read_small_file(path, stat, sizeof stat);
    if (length < 0) return length != -ENOENT && length != -ESRCH;
    const char* state = stat_field(stat, 3);
    const bool has_ended = state != nullptr && (*state == 'Z' || *state == 'X');  // its memory is gone
    return !has_ended && mark_of(process, began_ticks(stat)) == mark;
}

}  // namespace clearway::io_cache
