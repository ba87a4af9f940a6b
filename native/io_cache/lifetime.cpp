// When the cache begins and ends in a process.
#include <pthread.h>

#include <cstdlib>

#include "io_cache/files/births.hpp"
#include "io_cache/files/counts.hpp"
#include "io_cache/files/enter.hpp"
#include "io_cache/files/keeper.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/leave.hpp"
#include "io_cache/files/memory.hpp"
#include "io_cache/files/patterns.hpp"
#include "io_cache/files/record.hpp"
#include "io_cache/signals/handlers.hpp"
#include "preload/last_thread.hpp"

namespace clearway::io_cache {

namespace {

// Both sides have the kernel's view of all files, and nobody is in the middle of anything.
void before_fork() {
    begin_section();
    pthread_rwlock_wrlock(&room);
    has_room_lock = true;
    leave_each();
}

void in_parent() {
    has_room_lock = false;
    pthread_rwlock_unlock(&room);
    end_section();
}

void in_child() {
    has_room_lock = false;
    pthread_rwlock_init(&room, nullptr);
    own_process.store(kernel::process(), std::memory_order_relaxed);
    forget_keeper();
    forget_record();
    forget_cache();
    forget_changes();
    reset_counts();
    end_section();
}

// Destructors of libraries come later, and write to the kernel.
void at_exit(int, void*) {
    serving.store(false, std::memory_order_relaxed);
    leave_at_end();
    update_record();
}

[[gnu::constructor]] void on_load() {
    if (!read_budget()) return;
    read_patterns();
    read_job();
    read_births();
    own_process.store(kernel::process(), std::memory_order_relaxed);
    watch_main_thread();
    pthread_atfork(before_fork, in_parent, in_child);
    on_exit(at_exit, nullptr);
    serving.store(true, std::memory_order_relaxed);
}

}  // namespace

}  // namespace clearway::io_cache
