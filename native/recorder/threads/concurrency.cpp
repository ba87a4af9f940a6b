#include "recorder/threads/concurrency.hpp"

#include <cstdio>

#include "base/process_stat.hpp"
#include "base/small_file.hpp"
#include "recorder/kept_file.hpp"
#include "recorder/process.hpp"
#include "recorder/threads/thread_uses.hpp"

namespace clearway::recorder {
namespace {

constexpr unsigned kPerLook = 16;  // threads for which each call may look: some 3 microseconds each

constexpr unsigned kFirstLooks = 10;  // a program starts its threads now: they are looked for each time

ThreadList others;
unsigned passed_over = 0, looks = 0;

constexpr long kNowhere = -1;

// What the newest look at a thread found.
struct Seen {
    unsigned tid;
    long processor;  // on which it ran, or waited for its turn; kNowhere: it did neither
    std::uint64_t cpu_ns;
    KeptFile stat;
};
Seen seen[kMostThreads];  // in the order of `others`
Seen seen_main;

long processor_of(unsigned tid, KeptFile& file) {
    char path[64], stat[1024];
    std::snprintf(path, sizeof path, "/proc/self/task/%u/stat", tid);
    if (!file.read(path, stat, sizeof stat)) return kNowhere;
    const char* state = stat_field(stat, 3);
    return state != nullptr && *state == 'R' ? static_cast<long>(stat_number(stat, 39)) : kNowhere;
}

void begin_with(unsigned tid, Seen& before) {
    if (before.tid == tid) return;
    before.stat.close();
    before = {tid, kNowhere, 0, {}};
}

// One that slept and has not run since sleeps still, and its processor clock says so at a twentieth of the cost of its
// state. (If it was woken and has waited for a core ever since, that is seen when it has got one.)
long look_for(unsigned tid, Seen& before) {
    const std::uint64_t cpu_ns = cpu_ns_of(tid);
    begin_with(tid, before);
    const bool has_not_run = cpu_ns != 0 && before.cpu_ns == cpu_ns;
    if (!has_not_run || before.processor != kNowhere) before.processor = processor_of(tid, before.stat);
    before.cpu_ns = cpu_ns;
    return before.processor;
}

ConcurrencyCell* cell_of(Place place, bool main_busy) {
    for (std::uint32_t i = 0; i < process.concurrency.size(); ++i) {
        ConcurrencyCell* cell = process.concurrency.at(i);
        if (cell->place == place && (cell->main_busy != 0) == main_busy) return cell;
    }
    ConcurrencyCell fresh{};
    fresh.place = place;
    fresh.main_busy = main_busy ? 1 : 0;
    return process.concurrency.add(process.file, fresh);
}

template <class T>
void add(T& sum, T more) {
    __atomic_store_n(&sum, sum + more, __ATOMIC_RELAXED);
}

void count_on(long processor) {
    const auto cpu = static_cast<std::uint64_t>(processor);
    for (std::uint32_t i = 0; i < process.cores.size(); ++i) {
        CoreCell* cell = process.cores.at(i);
        if (cell->cpu != cpu) continue;
        add(cell->busy, std::uint64_t{1});
        return;
    }
    process.cores.add(process.file, CoreCell{cpu, 1});
}

}  // namespace

void look_at_others(Place place, unsigned main_tid, bool main_busy) {
    if (looks < kFirstLooks) {
        ++looks;
        find_new_threads();
    }
    list_others(others);
    if (others.number == 0 || ++passed_over * kPerLook < others.number) return;
    passed_over = 0;
    std::uint64_t busy = 0;
    for (unsigned i = 0; i < others.number; ++i) {
        const long processor = look_for(others.tids[i], seen[i]);
        if (processor == kNowhere) continue;
        ++busy;
        count_on(processor);
    }
    begin_with(main_tid, seen_main);
    const long of_main = main_busy ? processor_of(main_tid, seen_main.stat) : kNowhere;
    if (of_main != kNowhere) count_on(of_main);
    ConcurrencyCell* cell = cell_of(place, main_busy);
    if (cell == nullptr) return;
    const std::uint64_t idle = others.number - busy;
    add(cell->samples, 1U);
    add(cell->busy, busy);
    add(cell->idle, idle);
    if (busy == 0) add(cell->alone, std::uint64_t{1});
    if (busy != 0 || main_busy) add(cell->idle_beside_busy, idle);
}

}  // namespace clearway::recorder
