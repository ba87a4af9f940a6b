// What stands around the real call in a door of the recorder's (libc/door.hpp).
#pragma once

#include <cstdint>

#include "recorder/clock.hpp"
#include "recorder/process.hpp"
#include "recorder/thread.hpp"
#include "recorder/timeline.hpp"
#include "recorder_doors.hpp"

namespace clearway::recorder {

// The name under which the timeline knows a function.
inline std::uint16_t timeline_id(RealName& function) {
    std::uint16_t id = function.id.load(std::memory_order_relaxed);
    if (id == 0) {
        id = name_function(function.name(), FunctionClass::file_operation);
        function.id.store(id, std::memory_order_relaxed);
    }
    return id;
}

// The calling thread, if what it does at this door is to be recorded: not inside another door, not the recorder.
[[gnu::always_inline]] inline ThreadState* recordable_thread() {
    if (!recording || thread_state.io_depth != 0) return nullptr;
    return this_thread();
}

// The same where recording has been seen to be on.
[[gnu::always_inline]] inline ThreadState* undisturbed_thread() {
    return thread_state.io_depth == 0 ? this_thread() : nullptr;
}

// Enters a door. The thread's cell shows where it is, for the reader of a record that ends here.
inline std::uint64_t enter_door(ThreadState& thread) {
    thread.io_depth = 1;
    thread.cell->io_depth = 1;
    const std::uint64_t entry = now_ticks();
    if (thread.mpi_depth == 0) {
        settle_outside(thread, entry);
        thread.cell->call_entry_ticks = entry;
    }
    return entry;
}

// Leaves it, and returns when. Inside MPI calls the time belongs to them: no second stands in two lines.
inline std::uint64_t leave_door(ThreadState& thread, std::uint64_t entry) {
    const std::uint64_t exit = exit_ticks(entry);
    if (thread.mpi_depth == 0) {
        thread.cell->io_ticks += exit - entry;
        settle_call(thread, Where::io, entry, exit);
    } else {
        thread.files_in_mpi_ticks += exit - entry;
    }
    thread.cell->io_depth = 0;
    thread.io_depth = 0;
    return exit;
}

}  // namespace clearway::recorder
