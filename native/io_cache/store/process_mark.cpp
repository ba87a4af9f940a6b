#include "io_cache/store/process_mark.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "io_cache/store/kernel_text.hpp"

namespace clearway::io_cache {

namespace {

constexpr int kTimeBits = 40;  // of ticks since the host was started: 300 years of them

// Of /proc/PID/stat: the second field may have spaces and brackets in it, the 22nd is the time.
std::uint64_t began_ticks(const KernelText& stat) {
    constexpr int kFieldsBetween = 20;
    const char* at = std::strrchr(stat.bytes, ')');
    for (int field = 0; at != nullptr && field < kFieldsBetween; ++field) at = std::strchr(at + 1, ' ');
    return at != nullptr ? std::strtoull(at, nullptr, 10) : 0;
}

ProcessMark mark_of(std::uint64_t process, std::uint64_t ticks) {
    return process << kTimeBits | (ticks & ((std::uint64_t{1} << kTimeBits) - 1));
}

}  // namespace

ProcessMark own_process_mark() {
    KernelText stat;
    if (read_kernel_text("/proc/self/stat", stat) != 0) return kNoProcess;
    return mark_of(static_cast<std::uint64_t>(syscall(SYS_getpid)), began_ticks(stat));
}

bool is_running(ProcessMark mark) {
    const std::uint64_t process = mark >> kTimeBits;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%llu/stat", static_cast<unsigned long long>(process));
    KernelText stat;
    const int error = read_kernel_text(path, stat);
    if (error != 0) return error != ENOENT && error != ESRCH;
    const char* state = std::strrchr(stat.bytes, ')');
    const bool has_ended = state != nullptr && (state[2] == 'Z' || state[2] == 'X');  // its memory is gone
    return !has_ended && mark_of(process, began_ticks(stat)) == mark;
}

}  // namespace clearway::io_cache
