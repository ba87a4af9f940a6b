#include "recorder/host/affinity.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

namespace clearway::recorder {

bool list_affinity(int thread, char* text, std::size_t size) {
    text[0] = '\0';
    unsigned long mask[128] = {};  // 8,192 processors
    const long bytes = syscall(SYS_sched_getaffinity, thread, sizeof mask, mask);
    if (bytes <= 0) return false;
    constexpr int kBits = 8 * sizeof mask[0];
    constexpr std::size_t kLongestRange = 16;
    const int processors = static_cast<int>(bytes) * 8;
    const auto allowed = [&](int cpu) { return cpu < processors && ((mask[cpu / kBits] >> (cpu % kBits)) & 1) != 0; };
    std::size_t used = 0;
    for (int cpu = 0; cpu < processors; ++cpu) {
        if (!allowed(cpu)) continue;
        if (used + kLongestRange >= size) {
            text[0] = '\0';
            return false;
        }
        int last = cpu;
        while (allowed(last + 1)) ++last;
        used += static_cast<std::size_t>(
            std::snprintf(text + used, size - used, last > cpu ? "%s%d-%d" : "%s%d", used > 0 ? "," : "", cpu, last));
        cpu = last;
    }
    return true;
}

}  // namespace clearway::recorder
