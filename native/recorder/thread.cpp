#include "recorder/thread.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/no_signals.hpp"
#include "base/share.hpp"
#include "preload/own_descriptor.hpp"
#include "recorder/lock.hpp"
#include "recorder/tick_rate.hpp"

namespace clearway::recorder {

constinit thread_local ThreadState thread_state [[gnu::tls_model("initial-exec")]] = {};
constinit thread_local HeldLocks held_locks [[gnu::tls_model("initial-exec")]] = {};
std::uint64_t checkpoint_interval_ticks = 0;
constexpr std::uint32_t kNoThread = ~0U;
std::uint32_t main_thread = kNoThread;
bool several_threads = false;

OpenArguments& open_arguments(std::uint32_t thread) {
    constexpr std::uint32_t kThreads = 64;
    static OpenArguments all[kThreads + 1];
    return all[std::min(thread, kThreads)];
}

namespace {

// Kept open: opening it anew at each reading would cost more than the reading.
int open_schedstat() {
    constexpr unsigned long kMost = 16, kHighest = 16384;
    const int fd =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC, 0));
    if (fd < 0) return -1;
    const int high = copy_out_of_the_way(fd, kMost, kHighest);
    if (high < 0) return fd;
    syscall(SYS_close, fd);
    return high;
}

// "cpu_ns run_delay_ns slices\n" (Documentation/scheduler/sched-stats.rst). False when the descriptor is no
// longer ours: a job may close what it did not open.
bool read_run_delay(int fd, std::uint64_t& run_delay_ns) {
    char text[96];
    const long length = syscall(SYS_pread64, fd, text, sizeof text - 1, 0L);
    if (length <= 0) return false;
    text[length] = '\0';
    char* end = nullptr;
    std::strtoull(text, &end, 10);
    if (end == text || *end != ' ') return false;
    const char* second = end + 1;
    const std::uint64_t value = std::strtoull(second, &end, 10);
    if (end == second || *end != ' ') return false;
    run_delay_ns = value;
    return true;
}

std::uint64_t ticks_in(const ThreadState& state, Where where) {
    return state.inside_ticks[static_cast<unsigned>(where)];
}

}  // namespace

bool attach_thread(ThreadState& state) {
    if (!recording) return false;
    const int saved_errno = errno;
    const NoSignals undisturbed;  // a jump out of here would attach it twice
    const InRecorder inside(state);
    ThreadCell cell{};
    cell.tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
    cell.first_ticks = now_ticks();
    if (process.threads.size() != 0) several_threads = true;
    state.cell = process.threads.add(process.file, cell, &state.index);
    state.failed = state.cell == nullptr;
    state.open = &open_arguments(state.index);
    state.schedstat_fd = -1;
    const bool first = cell.tid == static_cast<std::uint32_t>(getpid());
    if (!state.failed && first && __atomic_load_n(&main_thread, __ATOMIC_RELAXED) == kNoThread)
        become_main_thread(state);
    errno = saved_errno;
    return !state.failed;
}

void become_main_thread(ThreadState& state) {
    const std::uint32_t before = __atomic_load_n(&main_thread, __ATOMIC_RELAXED);
    state.schedstat_fd = open_schedstat();
    state.checkpoint_ticks = now_ticks();
    state.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (state.schedstat_fd >= 0) read_run_delay(state.schedstat_fd, state.run_delay_ns);
    state.cell->cpu_ns = state.cpu_ns;
    __atomic_store_n(&main_thread, state.index, __ATOMIC_RELAXED);
    if (before != kNoThread) __atomic_store_n(&process.threads.at(before)->is_main, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&state.cell->is_main, 1, __ATOMIC_RELAXED);
}

void abandon_call(ThreadState& state) {
    held_locks.let_go();
    state.mpi_depth = 0;
    state.io_depth = 0;
    state.mpi_file = nullptr;
    if (state.cell == nullptr) return;
    state.cell->call_function = 0;
    state.cell->io_depth = 0;
}

std::uint64_t book_kernel_time(ThreadState& state, Where where, std::uint64_t begin, std::uint64_t end) {
    const int saved_errno = errno;
    const std::uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    std::uint64_t run_delay_ns = state.run_delay_ns;
    if (state.schedstat_fd >= 0 && !read_run_delay(state.schedstat_fd, run_delay_ns)) state.schedstat_fd = -1;
    const std::uint64_t cpu = elapsed(state.cpu_ns, cpu_ns);
    const std::uint64_t delay = elapsed(state.run_delay_ns, run_delay_ns);
    const std::uint64_t stretch = to_ns(elapsed(state.checkpoint_ticks, end));
    ThreadCell& cell = *state.cell;

    std::uint64_t booked = 0;
    if (where == Where::outside) {
        const std::uint64_t in_mpi = std::min(stretch, to_ns(ticks_in(state, Where::mpi)));
        const std::uint64_t in_io = std::min(stretch - in_mpi, to_ns(ticks_in(state, Where::io)));
        const std::uint64_t outside = stretch - in_mpi - in_io;
        const std::uint64_t explained = cpu + delay;
        if (stretch > explained) cell.blocked_outside_ns += std::min(outside, stretch - explained);
        cell.run_delay_in_mpi_ns += share(delay, in_mpi, stretch);
        cell.run_delay_in_io_ns += share(delay, in_io, stretch);
    } else {
        booked = std::min(delay, to_ns(elapsed(begin, end)));
        (where == Where::mpi ? cell.run_delay_in_mpi_ns : cell.run_delay_in_io_ns) += booked;
        if (where == Where::mpi) cell.cpu_in_mpi_ns += std::min(cpu, to_ns(elapsed(begin, end)) - booked);
    }
    cell.cpu_ns = cpu_ns;
    cell.run_delay_ns += delay;
    cell.sampled_ticks = end;
    state.cpu_ns = cpu_ns;
    state.run_delay_ns = run_delay_ns;
    state.checkpoint_ticks = now_ticks();
    for (std::uint64_t& ticks : state.inside_ticks) ticks = 0;
    errno = saved_errno;
    return booked;
}

}  // namespace clearway::recorder
