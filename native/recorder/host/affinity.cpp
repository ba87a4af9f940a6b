#include "recorder/host/affinity.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
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
    // The first at or after `cpu` whose bit is `set`. By words: of thousands of bits nearly all are 0, and this is
    // done for each thread, at each look.
    const auto next = [&](int cpu, bool set) {
        while (cpu < processors) {
            const unsigned long word = (set ? mask[cpu / kBits] : ~mask[cpu / kBits]) >> (cpu % kBits);
            if (word != 0) return std::min(cpu + std::countr_zero(word), processors);
            cpu += kBits - cpu % kBits;
        }
        return processors;
    };
    std::size_t used = 0;
    for (int cpu = next(0, true); cpu < processors; cpu = next(cpu, true)) {
        if (used + kLongestRange >= size) {
            text[0] = '\0';
            return false;
        }
        const int after = next(cpu, false), last = after - 1;
        used += static_cast<std::size_t>(
            std::snprintf(text + used, size - used, last > cpu ? "%s%d-%d" : "%s%d", used > 0 ? "," : "", cpu, last));
        cpu = after;
    }
    return true;
}

}  // namespace clearway::recorder
