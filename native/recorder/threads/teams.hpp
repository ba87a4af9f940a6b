// Where the threads of an OpenMP team are: in the body of a parallel region, or waiting for each other. What this costs
// is two readings of the clock a thread and region, and two a wait.
#pragma once

#include <atomic>
#include <cstdint>

#include "recorder/clock.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {

enum class Stretch : std::uint8_t { work, wait };

struct TeamState {
    TeamCell* cell;       // null until the thread was first in a region
    std::uint32_t depth;  // of bodies that it is in
    bool failed;          // no room for a cell
    bool leads;           // it began a region that is counted and has not ended: in tasks it may begin another
    // The stretch whose processor time is being read, and when the next one of each kind is to be.
    Stretch stretch;
    std::uint64_t stretch_begin_ticks, stretch_begin_cpu_ns;  // 0: none
    std::uint64_t due_ticks[2];
};

extern constinit thread_local TeamState team_state [[gnu::tls_model("initial-exec"), gnu::visibility("hidden")]];

// The calling thread's cell; null where it cannot be recorded.
TeamCell* add_team_cell(TeamState& state);
inline TeamCell* team_cell(TeamState& state) {
    if (state.cell == nullptr && !state.failed) [[unlikely]]
        return add_team_cell(state);
    return state.cell;
}

inline void add_ticks(std::uint64_t& sum, std::uint64_t more) { __atomic_store_n(&sum, sum + more, __ATOMIC_RELAXED); }

// A forked child has its parent's record before it still.
inline bool is_recorded(const TeamState& state) { return recording && state.cell != nullptr; }

inline bool is_due(const TeamState& state, Stretch kind, std::uint64_t at_ticks) {
    return at_ticks >= state.due_ticks[static_cast<unsigned>(kind)];
}

// How much of its time in a team a thread had a core is known from stretches of it: reading the processor time is a
// system call, and regions may be as short as one.
void begin_stretch_now(TeamState& state, Stretch kind);
void end_stretch_now(TeamState& state);
inline void begin_stretch(TeamState& state, Stretch kind, std::uint64_t at_ticks) {
    if (is_due(state, kind, at_ticks)) [[unlikely]]
        begin_stretch_now(state, kind);
}
inline void end_stretch(TeamState& state) {
    if (state.stretch_begin_ticks != 0) [[unlikely]]
        end_stretch_now(state);
}

// Of another thread of the team, at the begin of its body: when the region began.
inline void note_begin(TeamState& state, std::uint64_t region_entry_ticks) {
    if (region_entry_ticks != 0 && is_recorded(state))
        add_ticks(state.cell->sampled_late_ticks, elapsed(region_entry_ticks, state.cell->body_entry_ticks));
}

// Whether this body is the outermost, and begins a stretch.
inline bool enter_body(TeamState& state) {
    TeamCell* cell = team_cell(state);
    if (state.depth++ != 0 || cell == nullptr) return false;
    const std::uint64_t now = now_ticks();
    __atomic_store_n(&cell->body_entry_ticks, now, __ATOMIC_RELAXED);
    if (!is_due(state, Stretch::work, now)) [[likely]]
        return false;
    begin_stretch_now(state, Stretch::work);
    return true;
}

// In a region of its own that has no other thread: nothing of it is counted.
inline bool is_alone(const TeamCell& cell) { return cell.region_entry_ticks != 0 && cell.size < 2; }

inline void leave_body(TeamState& state, std::uint64_t at_ticks) {
    if (state.depth == 0 || --state.depth != 0 || !is_recorded(state)) return;
    end_stretch(state);
    TeamCell& cell = *state.cell;
    if (!is_alone(cell)) add_ticks(cell.work_ticks, elapsed(cell.body_entry_ticks, at_ticks));
    __atomic_store_n(&cell.body_entry_ticks, 0, __ATOMIC_RELAXED);
}

inline void enter_region(TeamState& state) {
    TeamCell* cell = team_cell(state);
    if (cell == nullptr) return;
    __atomic_store_n(&cell->size, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&cell->region_entry_ticks, now_ticks(), __ATOMIC_RELAXED);
}

// The calling thread is the first of a team of so many.
inline void is_first_of(TeamState& state, unsigned threads) {
    if (is_recorded(state)) __atomic_store_n(&state.cell->size, threads, __ATOMIC_RELAXED);
}

// Waits of the first thread of a region end with it at the latest; of the others no more is known than their work.
inline bool is_first(const TeamState& state) { return is_recorded(state) && state.cell->region_entry_ticks != 0; }

inline void leave_region(TeamState& state) {
    TeamCell* cell = state.cell;
    if (!is_recorded(state) || cell->region_entry_ticks == 0) return;
    end_stretch(state);
    const std::uint64_t entry = cell->region_entry_ticks;
    if (cell->size < 2) {
        __atomic_store_n(&cell->region_entry_ticks, 0, __ATOMIC_RELAXED);
        return;
    }
    const std::uint64_t exit = exit_ticks(entry), ticks = exit - entry;
    __atomic_store_n(&cell->region_entry_ticks, 0, __ATOMIC_RELAXED);
    if (cell->first_ticks == 0) __atomic_store_n(&cell->first_ticks, entry, __ATOMIC_RELAXED);
    __atomic_store_n(&cell->last_ticks, exit, __ATOMIC_RELAXED);
    add_ticks(cell->region_ticks, ticks);
    add_ticks(cell->team_ticks, ticks * cell->size);
    add_ticks(cell->regions, 1);
    if (cell->size > cell->most_threads) cell->most_threads = cell->size;
}

inline void waited_in_team(TeamState& state, std::uint64_t ticks) {
    if (is_recorded(state)) add_ticks(state.cell->wait_ticks, ticks);
}

inline void note_tasks(TeamState& state) {
    if (is_recorded(state)) __atomic_store_n(&state.cell->tasks, 1, __ATOMIC_RELAXED);
}

// OpenMP runtimes that tell of their regions themselves (runtime_tool.cpp): their entry points are not asked as well.
// Another runtime in the same process may not tell: which one a function is of is seen by where it lies.
class TellingRuntimes {
public:
    bool have(const void* function) const {
        const unsigned number = number_.load(std::memory_order_acquire);
        for (unsigned i = 0; i < number; ++i)
            if (reinterpret_cast<std::uintptr_t>(function) - images_[i].begin < images_[i].bytes) return true;
        return false;
    }
    void add(const void* function);  // any of its functions

private:
    static constexpr unsigned kMost = 8;
    struct Image {
        std::uintptr_t begin, bytes;
    };
    Image images_[kMost] = {};
    std::atomic<unsigned> number_{0};
};
extern constinit TellingRuntimes telling_runtimes [[gnu::visibility("hidden")]];

}  // namespace clearway::recorder
