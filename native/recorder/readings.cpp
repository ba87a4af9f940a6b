#include "recorder/readings.hpp"

#include <cerrno>

#include "recorder/clock.hpp"
#include "recorder/mpi/calls.hpp"
#include "recorder/mpi/functions.hpp"
#include "recorder/mpi/phase.hpp"
#include "recorder/process.hpp"
#include "recorder/thread.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint32_t kMost = 200;

Reading* readings = nullptr;
SegmentEntry* entry = nullptr;
bool no_room = false;
std::uint64_t interval_ns = 0, next_ns = 0;

bool has_room() {
    if (readings != nullptr || no_room) return readings != nullptr;
    // One more, for the last.
    readings =
        static_cast<Reading*>(process.file.add_segment(SegmentKind::readings, sizeof(Reading), kMost + 1, 0, &entry));
    no_room = readings == nullptr;
    return readings != nullptr;
}

FunctionClass class_of(std::uint32_t function) {
    return function < wrapped_function_count ? wrapped_functions[function].function_class : FunctionClass::local;
}

std::uint64_t& line_of(Reading& reading, FunctionClass function_class) {
    if (function_class == FunctionClass::life) return reading.life_ticks;
    return function_class == FunctionClass::mpi_io ? reading.mpi_io_ticks : reading.mpi_ticks;
}

struct Open {
    std::uint32_t function, io_depth;
    std::uint64_t since;

    bool operator==(const Open&) const = default;
};

Open open_in(const ThreadCell& cell) {
    return {__atomic_load_n(&cell.call_function, __ATOMIC_ACQUIRE), __atomic_load_n(&cell.io_depth, __ATOMIC_ACQUIRE),
            __atomic_load_n(&cell.call_entry_ticks, __ATOMIC_ACQUIRE)};
}

void add_cells(Reading& reading, std::uint32_t thread) {
    for_each_block(thread, [&](const CallCell* cells, std::uint32_t number) {
        for (const CallCell* cell = cells; cell != cells + number; ++cell)
            line_of(reading, class_of(cell->function)) += __atomic_load_n(&cell->ticks, __ATOMIC_RELAXED);
    });
}

// The call that the thread is in, so far. Polls are not all timed, so when one of them began is not known.
void add_open(Reading& reading, const Open& open) {
    const std::uint64_t so_far = elapsed(open.since, reading.ticks);
    if (open.function != 0) {
        const FunctionClass function_class = class_of(open.function);
        if (function_class != FunctionClass::poll) line_of(reading, function_class) += so_far;
    } else if (open.io_depth != 0) {
        reading.io_ticks += so_far;
    }
}

// The thread goes on meanwhile: what is read while it leaves a call is read again.
Reading read_thread(std::uint32_t thread, const ThreadCell& cell) {
    constexpr int kMostTries = 3;
    Reading reading{};
    for (int i = 0; i < kMostTries; ++i) {
        const Open open = open_in(cell);
        reading = Reading{};
        reading.ticks = now_ticks();
        add_cells(reading, thread);
        reading.io_ticks = __atomic_load_n(&cell.io_ticks, __ATOMIC_RELAXED);
        add_open(reading, open);
        if (open_in(cell) == open) break;
    }
    reading.run_delay_ns = __atomic_load_n(&cell.run_delay_ns, __ATOMIC_RELAXED);
    reading.blocked_outside_ns = __atomic_load_n(&cell.blocked_outside_ns, __ATOMIC_RELAXED);
    reading.settled_ticks = __atomic_load_n(&cell.sampled_ticks, __ATOMIC_RELAXED);
    reading.phase = __atomic_load_n(&program_phase, __ATOMIC_RELAXED);
    reading.phases = __atomic_load_n(&program_phases, __ATOMIC_RELAXED);
    return reading;
}

void take_reading() {
    const std::uint32_t main = __atomic_load_n(&main_thread, __ATOMIC_RELAXED);
    if (main >= process.threads.size() || !has_room()) return;
    readings[entry->count] = read_thread(main, *process.threads.at(main));
    __atomic_store_n(&entry->count, entry->count + 1, __ATOMIC_RELEASE);
}

}  // namespace

void read_now_and_then(std::uint64_t period_ns) {
    const std::uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    if (interval_ns == 0) {
        interval_ns = period_ns;
        next_ns = now_ns + period_ns;
    }
    if (now_ns < next_ns) return;
    const int saved_errno = errno;
    take_reading();
    if (entry != nullptr && entry->count >= kMost) {
        __atomic_store_n(&entry->count, thin_readings(readings, entry->count), __ATOMIC_RELEASE);
        interval_ns *= 2;
    }
    next_ns = now_ns + interval_ns;
    errno = saved_errno;
}

void read_last() {
    if (readings != nullptr && entry->count <= kMost) take_reading();
}

}  // namespace clearway::recorder
