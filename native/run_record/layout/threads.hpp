// The threads of a process: their times, and how many of them were busy at once. Part of a record: see layout.hpp.
#pragma once

#include <cstdint>

#include "run_record/layout/activity.hpp"

namespace clearway {

// One per thread that made a recorded call. Times of the main thread make the rank's ledger.
struct ThreadCell {
    std::uint32_t tid;
    std::uint32_t is_main;  // the thread that called MPI_Init (or main() where there is no MPI)
    std::uint64_t first_ticks;
    std::uint64_t io_ticks;             // inside libc's file functions, outside MPI
    std::uint64_t run_delay_ns;         // runnable, but not running, since first_ticks (/proc/thread-self/schedstat)
    std::uint64_t run_delay_in_mpi_ns;  // the part of it that fell into MPI calls
    std::uint64_t run_delay_in_io_ns;
    std::uint64_t cpu_ns;              // CLOCK_THREAD_CPUTIME_ID, newest reading
    std::uint64_t cpu_in_mpi_ns;       // the part of it that was spent in MPI calls long enough to be measured
    std::uint64_t blocked_outside_ns;  // neither running nor runnable, outside MPI and file functions
    std::uint64_t call_entry_ticks;    // of the call it is in now
    std::uint32_t call_function;       // id of the call it is in now; 0: none
    std::uint32_t io_depth;            // not 0 while inside a file function
    std::uint64_t sampled_ticks;       // when the figures of the kernel above were last read
};

enum ThreadFlags : std::uint32_t {
    kThreadGone = 1,       // it had ended at the newest look
    kThreadOfMpi = 2,      // began in MPI_Init
    kThreadOfRecord = 4,   // Clearway's own
    kThreadOnlyAsked = 8,  // spent its processor time, less than a second, on sched_yield alone: waiting for work
};

// What the kernel says of one thread of the process, the main thread included, once a second.
struct ThreadUse {
    std::uint32_t tid;
    std::uint32_t flags;                    // ThreadFlags
    std::uint64_t cpu_ns, run_delay_ns;     // since it began
    std::uint64_t first_ticks, last_ticks;  // of the looks
    char name[16];
    char cpus_allowed[64];  // list, as the kernel writes it; empty: it did not fit
};

// How many of the program's other threads ran, or were ready to, while the main thread was at `place`: so many looks at
// all threads, at random moments. Nothing is counted of a program that has one thread.
struct ConcurrencyCell {
    Place place;
    std::uint16_t main_busy;  // 1: the main thread ran, or was ready to
    std::uint32_t samples;
    std::uint64_t alone;             // samples in which no other thread was busy
    std::uint64_t busy, idle;        // other threads found so, summed over the samples
    std::uint64_t idle_beside_busy;  // of the idle: while another thread, the main thread or one more, was busy
};

// How many of the program's threads, the main thread included, ran on one processor or were ready to: summed over the
// moments of ConcurrencyCell. Two at once: one of them waited for it.
struct CoreCell {
    std::uint64_t cpu;  // the kernel's number of it
    std::uint64_t busy;
};

// What an OpenMP runtime did in one thread. Only outermost parallel regions count.
struct TeamCell {
    std::uint32_t tid;
    std::uint32_t most_threads;  // in the regions that it began
    std::uint32_t tasks;         // not 0: there are tasks, which run inside waits
    std::uint32_t size;          // threads of the region that it is the first thread of now
    std::uint64_t regions;       // that it began, of more than one thread
    std::uint64_t region_ticks;  // from their begin to their end
    std::uint64_t team_ticks;    // the same, times the threads of each
    std::uint64_t work_ticks;    // inside the bodies of regions, whoever began these, waits included
    std::uint64_t wait_ticks;    // in barriers, at the ends of loops, before critical sections, inside bodies
    std::uint64_t region_entry_ticks, body_entry_ticks;  // of what it is in now; 0: none
    std::uint64_t first_ticks, last_ticks;               // when its first region began, its newest ended
    // Stretches of which the processor time was read, too: of its work, and of its waits as first thread of a region.
    std::uint64_t sampled_work_ticks, sampled_work_cpu_ns, sampled_wait_ticks, sampled_wait_cpu_ns;
    std::uint64_t sampled_late_ticks;  // from the region's begin to its own, where that was such a stretch's, too
};
static_assert(sizeof(TeamCell) == 128);  // two threads do not write to one cache line

static_assert(sizeof(ThreadCell) == 96);

}  // namespace clearway
