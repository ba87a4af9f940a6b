#include "recorder/host/affinity.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>

namespace clearway::recorder {

namespace {

Processors affinity_of(int thread) {
    Processors processors{};
    processors.bytes = syscall(SYS_sched_getaffinity, thread, sizeof processors.words, processors.words);
    return processors;
}

}  // namespace

const Processors& processors_at_start() {
    static constinit Processors at_start{};
    static constinit std::atomic<bool> begun{false}, known{false};
    if (known.load(std::memory_order_acquire)) return at_start;
    if (begun.exchange(true)) return at_start;  // only where a handler comes between, before there are other threads
    at_start = affinity_of(0);
    known.store(true, std::memory_order_release);
    return at_start;
}

bool list_affinity(int thread, char* text, std::size_t size) {
    return list_processors(affinity_of(thread), text, size);
}

bool list_processors(const Processors& processors, char* text, std::size_t size) {
    text[0] = '\0';
    if (processors.bytes <= 0) return false;
    constexpr int kBits = Processors::kBits;
    constexpr std::size_t kLongestRange = 16;
    const int end = static_cast<int>(processors.bytes) * 8;
    // The first at or after `cpu` whose bit is `set`. By words: of thousands of bits nearly all are 0, and this is
    // done for each thread, at each look.
    const auto next = [&](int cpu, bool set) {
        while (cpu < end) {
            const unsigned long told = processors.words[cpu / kBits];
            const unsigned long word = (set ? told : ~told) >> (cpu % kBits);
            if (word != 0) return std::min(cpu + std::countr_zero(word), end);
            cpu += kBits - cpu % kBits;
        }
        return end;
    };
    std::size_t used = 0;
    for (int cpu = next(0, true); cpu < end; cpu = next(cpu, true)) {
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
