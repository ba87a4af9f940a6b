// The calling thread's own part of the record, and the split of its off-core time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recorder/clock.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {

struct CallTable;  // mpi/: the thread's call cells and their index

// Where a stretch of time was spent.
enum class Where { outside, mpi, io };

// Polls that follow one another and find nothing, as far as they are timed (mpi/record_calls.hpp).
struct Polling {
    std::uint64_t since;                 // entry of the first; 0: none
    std::uint64_t last;                  // entry of the newest
    std::uint64_t inside_ticks;          // time in them, those that are not timed included
    std::uint32_t cycles, tight_cycles;  // from one to the next; those in which there was hardly anything but polls
};

// What the call that a thread is in was called with, for mpi/open_call.cpp.
struct OpenArguments {
    std::uint32_t function;  // whose they are: calls that leave nothing here leave those of an earlier one
    std::int32_t peer, tag;
    std::intptr_t comm;
    const std::intptr_t* requests;
    std::size_t count;
};
OpenArguments& open_arguments(std::uint32_t thread);  // threads beyond the table share one

// What the thread's cell said when its newest event was made.
struct Told {
    std::uint64_t sum;  // of the cell's figures behind the next three: it is the same where none of them moved
    std::uint64_t blocked_ns, io_ticks, run_delay_ns;
};

struct ThreadState {
    ThreadCell* cell;                    // null until attached
    CallTable* calls;                    // null until the first recorded MPI call
    std::uint64_t checkpoint_ticks;      // when the kernel's figures were last read
    std::uint64_t cpu_ns, run_delay_ns;  // as read then
    std::uint64_t inside_ticks[3];       // by Where: spent in MPI calls and file functions since then
    std::uint64_t files_in_mpi_ticks;    // in file functions that the MPI called, from the first
    MpiFileCell* mpi_file;               // in calls of MPI-IO: where reads and writes are counted, too; else null
    OpenArguments* open;                 // as long as the process lives
    std::uint32_t index;                 // among process.threads
    std::uint32_t mpi_depth;             // not 0 inside an MPI call: what it calls itself is not recorded
    std::uint32_t io_depth;              // not 0 inside a file function or inside the recorder
    Polling polling;
    Told told;
    std::uint32_t polls;  // calls that are timed one in a few, see mpi/record_calls.hpp
    std::uint32_t seeks;  // likewise, see io/place_doors.cpp
    std::int32_t schedstat_fd;
    bool failed;  // no room for a cell: this thread is not recorded
};

extern constinit thread_local ThreadState thread_state [[gnu::tls_model("initial-exec")]];

bool attach_thread(ThreadState& state);
extern bool several_threads [[gnu::visibility("hidden")]];  // have made recorded calls

// The thread whose times are the rank's, among process.threads: the one that called MPI_Init, or main() where there is
// no MPI.
extern std::uint32_t main_thread [[gnu::visibility("hidden")]];
void become_main_thread(ThreadState& state);
inline bool is_main(const ThreadState& state) {
    return state.cell != nullptr && state.index == __atomic_load_n(&main_thread, __ATOMIC_RELAXED);
}

// While it exists, what this thread does at the file doors is the recorder's own. It restores what was, for one may
// stand inside another, and a jump (below) may have cleared it.
class InRecorder {
public:
    explicit InRecorder(ThreadState& state = thread_state) : state_(state), before_(state.io_depth) {
        state.io_depth = before_ + 1;
    }
    ~InRecorder() { state_.io_depth = before_; }
    InRecorder(const InRecorder&) = delete;
    InRecorder& operator=(const InRecorder&) = delete;

private:
    ThreadState& state_;
    std::uint32_t before_;
};

// The program left the call that this thread was in without returning from it: by longjmp out of a signal or error
// handler, or by an exception. The call is not counted.
void abandon_call(ThreadState& state);

// The calling thread's state, or null where it cannot be recorded.
inline ThreadState* this_thread() {
    ThreadState& state = thread_state;
    if (state.cell == nullptr && (state.failed || !attach_thread(state))) return nullptr;
    return &state;
}

// A preemption lasts a scheduler slice, far longer than this; so a stretch shorter than this was hardly preempted,
// and the kernel's figures need not be read for it (about 1 microsecond a reading). Calls that give the core away
// of their own accord may be shorter: a settled stretch's run delay is shared out over what was done in it.
inline constexpr std::uint64_t kCheckpoint_ns = 500'000;
extern std::uint64_t checkpoint_interval_ticks [[gnu::visibility("hidden")]];

// Reads CPU time and run delay of the main thread and books what was added since the last reading. For Where::mpi and
// Where::io, `begin`..`end` is the long call that has just ended, in ticks, and what is booked to it is returned, in
// ns. For Where::outside it is the stretch since the last reading, short calls included.
std::uint64_t book_kernel_time(ThreadState& state, Where where, std::uint64_t begin, std::uint64_t end);

// Settles what is open, at the end of the record.
inline void settle_now(ThreadState& state, std::uint64_t end) {
    if (state.cell != nullptr) book_kernel_time(state, Where::outside, state.checkpoint_ticks, end);
}

// At the entry of a call of ours: settles the stretch outside, if it was long.
inline void settle_outside(ThreadState& state, std::uint64_t entry) {
    if (elapsed(state.checkpoint_ticks, entry) > checkpoint_interval_ticks && is_main(state)) [[unlikely]]
        book_kernel_time(state, Where::outside, state.checkpoint_ticks, entry);
}

// At the exit of a call of ours, which is not before its entry: settles the call, if it was long. Returns its run delay
// in ns.
inline std::uint64_t settle_call(ThreadState& state, Where where, std::uint64_t entry, std::uint64_t exit) {
    state.inside_ticks[static_cast<unsigned>(where)] += exit - entry;
    if (exit - entry > checkpoint_interval_ticks && is_main(state)) [[unlikely]]
        return book_kernel_time(state, where, entry, exit);
    return 0;
}

}  // namespace clearway::recorder
