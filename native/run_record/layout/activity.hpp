// What the main thread was found doing, and what its times had come to as the job went on. Part of a record: see
// layout.hpp.
#pragma once

#include <cstdint>

namespace clearway {

// What a thread was found doing.
enum class Activity : std::uint16_t {
    running = 1,      // or ready to run
    blocked = 2,      // no more is known; object: the function of the kernel that it waits in, where that tells
    system_call = 3,  // object: its name
    sleeping = 4,
    receiving = 5,   // waits for a connection or data; object: the other end
    sending = 6,     // the other end takes no more; object: it
    accepting = 7,   // waits for somebody to connect; object: its own port
    input = 8,       // from what is no socket and no pipe; object: what it is
    lock = 9,        // object: the file
    full_pipe = 10,  // writes to it; object: "stdout", a path
    empty_pipe = 11,
    child = 12,  // waits for it to end; object: its program
    other_thread = 13,
    signal = 14,
    memory = 15,   // a page of it
    file = 16,     // reads or writes it; object: the file
    stopped = 17,  // with all other threads of the process: by SIGSTOP, or whoever suspends jobs
    traced = 18,   // stopped by a debugger, strace and the like; object: its program
};

// Where in the program that was.
enum class Place : std::uint16_t {
    outside = 1,  // neither in MPI nor in one of libc's file functions
    mpi = 2,
    file = 3,
};

// So often the main thread was found doing this, once in each period at a random moment of it.
struct ActivityCell {
    Activity activity;
    Place place;
    std::uint32_t samples;
    std::uint64_t first_ticks, last_ticks;  // of the samples
    char object[168];
};

// What the main thread's times had come to at an instant, the call that it was in included. Taken now and then by the
// sampler: a slice of the job's time lies between two of them. At most 200, of which every second one goes when there
// is no room for more. Elements move then: a reader sorts them by `ticks`, takes each instant once, and passes over
// those of ticks 0.
struct Reading {
    std::uint64_t ticks;                                // when; 0: being written
    std::uint64_t mpi_ticks, mpi_io_ticks, life_ticks;  // in MPI calls; of MPI-IO; MPI_Init, MPI_Finalize
    std::uint64_t io_ticks;                             // as in ThreadCell, as are the next two
    std::uint64_t run_delay_ns, blocked_outside_ns;
    std::uint64_t settled_ticks;  // the kernel's figures above were last read then
    std::int32_t phase;           // the number last passed to MPI_Pcontrol
    std::uint32_t phases;         // how often that was called
};

// What the process's threads had come to at an instant, taken with each Reading and thinned with them likewise.
struct ThreadsReading {
    std::uint64_t ticks;         // when; 0: being written
    std::uint64_t region_ticks;  // of the main thread in parallel regions of several threads, the one it is in included
    std::uint64_t cpu_ns;        // of all threads
};

static_assert(sizeof(ActivityCell) == 192);
static_assert(sizeof(Reading) == 72);
static_assert(sizeof(ThreadsReading) == 24);

}  // namespace clearway
