// When the cache begins and ends in a process.
#include "io_cache/lifetime.hpp"

#include <pthread.h>

#include <cstdlib>

#include "cache_doors.hpp"
#include "io_cache/files/background_thread.hpp"
#include "io_cache/files/counts.hpp"
#include "io_cache/files/creation_times.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/kernel_descriptors.hpp"
#include "io_cache/files/make_cache.hpp"
#include "io_cache/files/patterns.hpp"
#include "io_cache/files/run_record.hpp"
#include "io_cache/files/start_caching.hpp"
#include "io_cache/files/stop_caching.hpp"
#include "io_cache/signals/handlers.hpp"
#include "preload/before_main.hpp"
#include "preload/fault_finders.hpp"
#include "preload/last_thread.hpp"
#include "preload/own_descriptor.hpp"
#include "preload/standard_error.hpp"
#include "preload/thread_stack.hpp"

namespace clearway::io_cache {

void before_fork() {
    const kernel::ErrnoGuard guard;
    begin_deferring_signals();
    pthread_rwlock_wrlock(&table_lock);
    has_table_lock = true;
    stop_caching_each();
}

void after_fork_in_parent() {
    const kernel::ErrnoGuard guard;
    has_table_lock = false;
    pthread_rwlock_unlock(&table_lock);
    end_deferring_signals();
}

void after_fork_in_child() {
    const kernel::ErrnoGuard guard;
    has_table_lock = false;
    pthread_rwlock_init(&table_lock, nullptr);
    if (own_process.load(std::memory_order_relaxed) != 0)
        own_process.store(kernel::process(), std::memory_order_relaxed);
    forget_turn();
    forget_background_thread();
    forget_run_record();
    forget_cache();
    forget_changes();
    reset_counts();
    becoming.store(0, std::memory_order_relaxed);  // the thread that was about to is the parent's
    end_deferring_signals();
}

namespace {

// Destructors of libraries come later, and write to the kernel.
void at_exit(int, void*) {
    serving.store(false, std::memory_order_relaxed);
    stop_caching_at_exit();
    update_run_record();
}

[[gnu::constructor]] void on_load() {
    const BeforeMain before_main;
    look_for_standard_error();
    find_real_functions();
    if (watched_for_faults() != nullptr || !can_open_again() || !read_budget()) return;
    read_patterns();
    read_job();
    find_creation_times();
    own_process.store(kernel::process(), std::memory_order_relaxed);
    hide_from_forks();
    watch_main_thread();
    measure_thread_storage();
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    on_exit(at_exit, nullptr);
    serving.store(true, std::memory_order_relaxed);
}

}  // namespace

}  // namespace clearway::io_cache
