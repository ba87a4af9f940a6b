#include "io_cache/files/background_thread.hpp"

#include <pthread.h>

#include <csignal>

#include "base/clock.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/run_record.hpp"
#include "io_cache/files/stop_caching.hpp"
#include "io_cache/files/taken.hpp"
#include "io_cache/files/write_back.hpp"
#include "preload/last_thread.hpp"
#include "preload/thread_stack.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint64_t kTick_ns = 500'000'000;
constexpr std::uint64_t kWriteBack_ns = 1'400'000'000;  // after close: with a tick, begun within 2 s

std::atomic<int> thread{0};  // -1: being started
std::atomic<bool> is_leaving{false};

// Most of the writing with `table_lock` shared, so that the program's other files do not wait for a slow disk.
template <class Which>
bool flush_those(Which which) {
    const SharedLock shared;
    bool any = false;
    for (CachedFile& file : files) {
        if (file.id == kNoFile || !which(file)) continue;
        any = true;
        if (file.takes_writes && !is_deleted(file) && !is_taken(file)) cache->flush(file.id);
    }
    return any;
}

// The kernel takes a lease by force 45 s after somebody asked (/proc/sys/fs/lease-break-time).
void let_go_of_wanted() {
    const auto wanted = [](const CachedFile& file) { return is_wanted(file.fd, file.lease); };
    if (!flush_those(wanted)) return;
    const ExclusiveLock alone;
    for (CachedFile& file : files)
        if (file.id != kNoFile && wanted(file)) stop_caching(file);
}

// Records stay: many programs open again what they closed.
void write_back_owed() {
    const std::uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
    const auto due = [&](const CachedFile& file) {
        return file.unwritten_since_ns != 0 && now_ns - file.unwritten_since_ns > kWriteBack_ns;
    };
    if (!flush_those(due)) return;
    const ExclusiveLock alone;
    for (CachedFile& file : files) {
        if (file.id == kNoFile || !due(file) || forget_deleted(file)) continue;
        file.unwritten_since_ns = 0;
        if (!is_deleted(file) && write_back(file) != 0) stop_caching(file);
    }
}

void* end_of_process() {
    stop_caching_at_exit();
    update_run_record();
    return nullptr;
}

void* run(void*) {
    OwnThread own;
    begin_listening();
    thread.store(static_cast<int>(syscall(SYS_gettid)), std::memory_order_release);
    constexpr timespec kTick{0, static_cast<long>(kTick_ns)};
    for (bool had_files = true;;) {
        listen(kTick);
        if (is_leaving.load(std::memory_order_acquire)) return nullptr;
        if (own.is_left_behind()) return end_of_process();
        const bool has_files = file_count.load(std::memory_order_relaxed) != 0;
        if (!has_files && !had_files) continue;
        had_files = has_files;
        const std::uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
        let_go_of_wanted();
        leases_seen_ns.store(now_ns, std::memory_order_release);
        write_back_owed();
        update_run_record();
    }
}

bool start() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, stack_with(256 * 1024));
    pthread_t id;
    const bool started = pthread_create(&id, &attributes, run, nullptr) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
}

}  // namespace

int background_thread() {
    const DeferSignals deferred;
    int known = 0;
    if (!serving.load(std::memory_order_acquire)) return 0;
    if (thread.compare_exchange_strong(known, -1, std::memory_order_acquire) && !start()) {
        thread.store(0, std::memory_order_relaxed);
        return 0;
    }
    while ((known = thread.load(std::memory_order_acquire)) == -1) sched_yield();
    return known;
}

bool has_background_thread() { return thread.load(std::memory_order_relaxed) > 0; }

void end_background_thread() {
    constexpr std::uint64_t kLongest_ns = 50'000'000;
    constexpr timespec kMoment{0, 100'000};
    const kernel::ErrnoGuard guard;
    const DeferSignals deferred;
    int known = 0;
    while ((known = thread.load(std::memory_order_acquire)) == -1) sched_yield();
    if (known == 0) return;
    is_leaving.store(true, std::memory_order_release);
    const std::uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
    wake(known);
    while (syscall(SYS_tgkill, kernel::process(), known, 0) == 0 && clock_ns(CLOCK_MONOTONIC) - begin_ns < kLongest_ns)
        syscall(SYS_nanosleep, &kMoment, nullptr);
}

void forget_background_thread() {
    thread.store(0, std::memory_order_relaxed);
    is_leaving.store(false, std::memory_order_relaxed);
}

}  // namespace clearway::io_cache
