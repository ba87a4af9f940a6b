#include "recorder/sampler.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <csignal>
#include <ctime>

#include "preload/last_thread.hpp"
#include "preload/thread_stack.hpp"
#include "recorder/activity/activity.hpp"
#include "recorder/clock.hpp"
#include "recorder/host/affinity.hpp"
#include "recorder/host/host.hpp"
#include "recorder/mpi/open_call.hpp"
#include "recorder/process.hpp"
#include "recorder/profile/profile.hpp"
#include "recorder/readings.hpp"
#include "recorder/sockets/job_descriptors.hpp"
#include "recorder/sockets/sockets.hpp"
#include "recorder/standstill.hpp"
#include "recorder/thread.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint64_t kHost_ns = 1'000'000'000;
constexpr std::uint64_t kScan_ns = 2'000'000'000;
constexpr std::uint64_t kLongestWaitForStop_ns = 50'000'000;
constexpr timespec kMoment{0, 100'000};

std::atomic<std::uint32_t> stopping{0};  // also the futex on which the sampler sleeps
std::atomic<bool> running{false};
std::atomic<int> thread_id{0};

void wait_for_stop(std::uint64_t ns) {
    const timespec timeout{static_cast<time_t>(ns / 1'000'000'000U), static_cast<long>(ns % 1'000'000'000U)};
    syscall(SYS_futex, &stopping, FUTEX_WAIT_PRIVATE, 0, &timeout, nullptr, 0);
}

// A thread inherits the processors of the one that starts it; a main thread that is bound to one would share it.
void run_where_the_process_may() {
    const Processors& processors = processors_at_start();
    if (processors.bytes > 0)
        syscall(SYS_sched_setaffinity, 0, static_cast<std::size_t>(processors.bytes), processors.words);
}

void* run_sampler(void*) {
    OwnThread own;
    thread_state.io_depth = 1;  // for good: nothing this thread does is the job's
    syscall(SYS_prctl, PR_SET_NAME, "clearway");
    run_where_the_process_may();
    leave_descriptor_table();
    thread_id.store(static_cast<int>(syscall(SYS_gettid)), std::memory_order_relaxed);
    const std::uint64_t period_ns = std::max(1U, process.settings.sample_ms) * std::uint64_t{1'000'000};
    std::uint64_t next_beat_ns = 0, next_host_ns = 0, next_scan_ns = 0;
    Moment awake = this_moment();
    while (stopping.load(std::memory_order_acquire) == 0 && recording) {
        const std::uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
        if (now_ns >= next_beat_ns) {
            heartbeat();
            describe_open_call();
            profile_threads();
            next_beat_ns = now_ns + period_ns;
        }
        read_now_and_then(period_ns);
        if (now_ns >= next_scan_ns) {
            scan_for_sockets();
            next_scan_ns = now_ns + kScan_ns;
        }
        if (now_ns >= next_host_ns) {
            if (own.is_left_behind()) break;
            sample_process();
            if (process.host_file.is_open()) sample_host();
            next_host_ns = now_ns + kHost_ns;
        }
        const std::uint64_t until_ns = std::min(sample_activity(period_ns), sample_sockets(period_ns));
        const std::uint64_t pause_ns = std::max<std::uint64_t>(until_ns, 1'000'000);
        const Moment asleep = this_moment();
        count_as_stopped(stopped_at_work_ns(awake, asleep), period_ns);
        wait_for_stop(pause_ns);
        awake = this_moment();
        count_as_stopped(stopped_asleep_ns(asleep, awake, pause_ns), period_ns);
    }
    end_profile();
    running.store(false, std::memory_order_release);
    return nullptr;
}

// Small first, the default where that fails.
bool create_thread() {
    for (const std::size_t stack_bytes : {stack_with(128 * 1024), std::size_t{0}}) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        if (stack_bytes != 0) pthread_attr_setstacksize(&attributes, stack_bytes);
        pthread_t thread;
        const int error = pthread_create(&thread, &attributes, run_sampler, nullptr);
        pthread_attr_destroy(&attributes);
        if (error == 0) return true;
    }
    return false;
}

}  // namespace

int sampler_thread_id() { return thread_id.load(std::memory_order_relaxed); }

void start_sampler() {
    if (running.exchange(true)) return;
    stopping.store(0, std::memory_order_relaxed);
    // The new thread inherits the mask: the job's signals go to the job's threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!create_thread()) running.store(false);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void stop_sampler() {
    stopping.store(1, std::memory_order_release);
    syscall(SYS_futex, &stopping, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
    const std::uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + kLongestWaitForStop_ns;
    while (running.load(std::memory_order_acquire) && clock_ns(CLOCK_MONOTONIC) < deadline_ns) {
        nanosleep(&kMoment, nullptr);
    }
}

// The kernel has the thread for a moment longer than the record has its sampler.
bool pause_sampler() {
    if (!running.load(std::memory_order_acquire)) return false;
    stop_sampler();
    const std::uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + kLongestWaitForStop_ns;
    const int thread = sampler_thread_id();
    while (syscall(SYS_tgkill, getpid(), thread, 0) == 0 && clock_ns(CLOCK_MONOTONIC) < deadline_ns)
        nanosleep(&kMoment, nullptr);
    return true;
}

}  // namespace clearway::recorder
