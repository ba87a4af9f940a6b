#include "io_cache/files/own_end.hpp"

#include <csignal>

#include "cache_doors.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/run_record.hpp"
#include "io_cache/files/write_back.hpp"

namespace clearway::io_cache {

namespace {

// Also one that only stops it: what continues it may never come.
bool ends_process(int signal) {
    struct sigaction action {};
    if (real::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return false;
    return signal != SIGCHLD && signal != SIGCONT && signal != SIGURG && signal != SIGWINCH;
}

bool reaches_us(pid_t destination) {
    return destination == kernel::process() || destination == 0 || destination == -1 || destination == -getpgrp();
}

}  // namespace

// With locks of ours held (a fault in our own code) there is nothing left to do.
void before_abort() {
    if (file_count.load(std::memory_order_relaxed) == 0 || !in_own_process() || defer_state.depth != 0) return;
    write_back_each_before(Event::ends);
    update_run_record();
}

void before_signal(int signal) {
    if (file_count.load(std::memory_order_relaxed) == 0) return;
    const kernel::ErrnoGuard guard;
    if (ends_process(signal)) before_abort();
}

void before_signal_to(pid_t destination, int signal) {
    if (file_count.load(std::memory_order_relaxed) != 0 && reaches_us(destination)) before_signal(signal);
}

void after_handler(int signal, bool is_fault) {
    if (signal == SIGABRT)
        before_abort();
    else if (is_fault)
        before_signal(signal);
}

}  // namespace clearway::io_cache
