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

std::uint64_t interval_ns = 0, next_ns = 0;

// What is read at each of these instants, of one kind.
template <class Element>
class Readings {
public:
    constexpr explicit Readings(SegmentKind kind) : kind_(kind) {}

    void add(const Element& element) {
        if (!has_room()) return;
        elements_[entry_->count] = element;
        __atomic_store_n(&entry_->count, entry_->count + 1, __ATOMIC_RELEASE);
    }

    bool some() const { return elements_ != nullptr; }
    bool full() const { return some() && entry_->count >= kMost; }

    void thin() {
        if (some()) __atomic_store_n(&entry_->count, thin_readings(elements_, entry_->count), __ATOMIC_RELEASE);
    }

private:
    bool has_room() {
        constexpr std::uint32_t kCapacity = kMost + 1;  // one more, for the last
        if (elements_ == nullptr && !no_room_) {
            elements_ = static_cast<Element*>(process.file.add_segment(kind_, sizeof(Element), kCapacity, 0, &entry_));
            no_room_ = elements_ == nullptr;
        }
        return elements_ != nullptr && entry_->count < kCapacity;
    }

    SegmentKind kind_;
    Element* elements_ = nullptr;
    SegmentEntry* entry_ = nullptr;
    bool no_room_ = false;
};
constinit Readings<Reading> of_main{SegmentKind::readings};
constinit Readings<ThreadsReading> of_threads{SegmentKind::threads_at};

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

const TeamCell* team_of(std::uint32_t tid) {
    for (std::uint32_t i = 0; i < process.teams.size(); ++i)
        if (process.teams.at(i)->tid == tid) return process.teams.at(i);
    return nullptr;
}

// As read_thread: what is read while a region ends is read again.
ThreadsReading read_team(const ThreadCell& cell) {
    constexpr int kMostTries = 3;
    ThreadsReading reading{now_ticks(), 0, clock_ns(CLOCK_PROCESS_CPUTIME_ID)};
    const TeamCell* team = team_of(cell.tid);
    for (int i = 0; team != nullptr && i < kMostTries; ++i) {
        const std::uint64_t since = __atomic_load_n(&team->region_entry_ticks, __ATOMIC_ACQUIRE);
        const bool several = __atomic_load_n(&team->size, __ATOMIC_RELAXED) > 1;
        reading.ticks = now_ticks();
        reading.region_ticks = __atomic_load_n(&team->region_ticks, __ATOMIC_ACQUIRE);
        if (since != 0 && several) reading.region_ticks += elapsed(since, reading.ticks);
        if (__atomic_load_n(&team->region_entry_ticks, __ATOMIC_ACQUIRE) == since) break;
    }
    return reading;
}

void take_reading() {
    const std::uint32_t main = __atomic_load_n(&main_thread, __ATOMIC_RELAXED);
    if (main >= process.threads.size()) return;
    const ThreadCell& cell = *process.threads.at(main);
    of_main.add(read_thread(main, cell));
    of_threads.add(read_team(cell));
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
    if (of_main.full()) {
        of_main.thin();
        of_threads.thin();
        interval_ns *= 2;
    }
    next_ns = now_ns + interval_ns;
    errno = saved_errno;
}

void read_last() {
    if (of_main.some()) take_reading();
}

}  // namespace clearway::recorder
