// What each thread of the process had of the processors: its CPU time, how long it waited for a processor, and which
// ones it may use.
#pragma once

#include <cstdint>

namespace clearway::recorder {

struct ThreadSums {
    std::uint64_t threads = 0;       // alive, without ours
    std::uint64_t run_delay_ns = 0;  // theirs
};

// What threads are called and may use: read now and then, or of all.
enum class Names { kNowAndThen, kAll };

// Looks at all threads; once a second. Two threads may ask at once.
ThreadSums read_threads(Names names);

// Looks for threads that began since, and of the others only at their processor time.
void find_new_threads();

// What the calling thread had, as it ends: between two looks nobody else will see it.
void note_own_end();

// The processor time of a thread since it began, by its own clock, without /proc; 0 where it is gone.
std::uint64_t cpu_ns_of(unsigned tid);

// How long a thread had been ready to run, and did not, since it began; 0 where the kernel does not tell.
std::uint64_t run_delay_ns_of(unsigned tid);
std::uint64_t run_delay_in(const char* schedstat);  // the same, of what the kernel's file says

// Around MPI_Init: threads that are new after it are the MPI's own.
void before_mpi_starts();
void after_mpi_started();

// The program's threads that were alive at the newest look, without the main thread, ours and those of the MPI.
inline constexpr unsigned kMostThreads = 512;
struct ThreadList {
    unsigned tids[kMostThreads];
    unsigned number = 0;
};
void list_others(ThreadList& others);

}  // namespace clearway::recorder
