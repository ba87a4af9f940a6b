// Where the threads of an OpenMP team are: in the body of a parallel region, or waiting for each other. What this costs
// is two readings of the clock a thread and region, and two a wait.
#pragma once

#include <atomic>
#include <cstdint>

#include "recorder/clock.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {

struct TeamState {
    TeamCell* cell;       // null until the thread was first in a region
    std::uint32_t depth;  // of bodies that it is in
    bool failed;          // no room for a cell
};

extern constinit thread_local TeamState team_state [[gnu::tls_model("initial-exec")]];

// The calling thread's cell; null where it cannot be recorded.
TeamCell* add_team_cell(TeamState& state);
inline TeamCell* team_cell(TeamState& state) {
    if (state.cell == nullptr && !state.failed) [[unlikely]]
        return add_team_cell(state);
    return state.cell;
}

inline void add_ticks(std::uint64_t& sum, std::uint64_t more) { __atomic_store_n(&sum, sum + more, __ATOMIC_RELAXED); }

inline void enter_body(TeamState& state) {
    TeamCell* cell = team_cell(state);
    if (state.depth++ == 0 && cell != nullptr) __atomic_store_n(&cell->body_entry_ticks, now_ticks(), __ATOMIC_RELAXED);
}

// A forked child has its parent's record before it still.
inline bool is_recorded(const TeamState& state) { return recording && state.cell != nullptr; }

inline void leave_body(TeamState& state, std::uint64_t at_ticks) {
    if (state.depth == 0 || --state.depth != 0 || !is_recorded(state)) return;
    add_ticks(state.cell->work_ticks, elapsed(state.cell->body_entry_ticks, at_ticks));
    __atomic_store_n(&state.cell->body_entry_ticks, 0, __ATOMIC_RELAXED);
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

inline void leave_region(TeamState& state) {
    TeamCell* cell = state.cell;
    if (!is_recorded(state) || cell->region_entry_ticks == 0) return;
    const std::uint64_t entry = cell->region_entry_ticks, exit = exit_ticks(entry), ticks = exit - entry;
    __atomic_store_n(&cell->region_entry_ticks, 0, __ATOMIC_RELAXED);
    if (cell->size < 2) return;
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

// An OpenMP runtime tells of its regions itself (runtime_tool.cpp): its entry points are not asked as well.
extern std::atomic<bool> runtime_tells;

}  // namespace clearway::recorder
