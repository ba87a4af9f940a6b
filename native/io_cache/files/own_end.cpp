#include "io_cache/files/own_end.hpp"

#include <csignal>
#include <cstdio>

#include "base/small_file.hpp"
#include "cache_doors.hpp"
#include "io_cache/files/before_stop.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/run_record.hpp"
#include "io_cache/files/stop_caching.hpp"
#include "io_cache/files/write_back.hpp"

namespace clearway::io_cache {

namespace {

bool has_default(int signal) {
    struct sigaction action {};
    return real::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL;
}

bool has_handler(int signal) {
    struct sigaction action {};
    return real::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL &&
           action.sa_handler != SIG_IGN;
}

bool is_harmless(int signal) {
    return signal == SIGCHLD || signal == SIGCONT || signal == SIGURG || signal == SIGWINCH;
}

bool only_stops(int signal) { return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU; }

// What follows `label` in a small file of /proc; 0: there is none.
pid_t process_in(const char* path, const char* label) {
    char text[2048];
    std::uint64_t number = 0;
    return read_text(path, text, sizeof text) && number_after(text, label, number) ? static_cast<pid_t>(number) : 0;
}

// Without /proc each is taken for one of ours.
pid_t process_of_thread(pid_t thread) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/status", thread);
    const pid_t process = process_in(path, "\nTgid:\t");
    return process > 0 ? process : kernel::process();
}

pid_t process_behind(int pidfd) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pidfd);
    const pid_t process = process_in(path, "\nPid:\t");
    return process > 0 ? process : kernel::process();
}

bool reaches_us(pid_t destination) {
    return destination == kernel::process() || destination == 0 || destination == -1 || destination == -getpgrp();
}

// With locks of ours held (a fault in our own code) nothing can be done.
bool can_leave() { return in_own_process() && defer_state.depth == 0; }

// Other threads go on until the kernel ends them. Most of the writing is done beside them; but what they write after it
// must not come too late, so the files leave.
void leave() {
    if (!can_leave()) return;
    write_back_each_before(Event::ends);
    stop_caching_before_end();
    update_run_record();
}

}  // namespace

// A handler may go on with the files, and need not come back.
void before_abort() {
    if (own_process.load(std::memory_order_relaxed) == 0) return;
    if (has_handler(SIGABRT) && can_leave())
        write_back_each_before(Event::ends);
    else
        leave();
}

// One that only stops the process, too: what continues it may never come. One that is blocked may end it later.
void before_signal(int signal) {
    if (file_count.load(std::memory_order_relaxed) == 0) return;
    const kernel::ErrnoGuard guard;
    if (!has_default(signal) || is_harmless(signal)) return;
    if (!only_stops(signal)) return leave();
    if (can_leave()) write_back_each_before(Event::ends);
}

void before_signal_to_thread(pid_t thread, int signal) {
    if (only_stops(signal)) return before_signal_to(process_of_thread(thread), signal);
    before_signal(signal);
}

void before_signal_by(int pidfd, int signal) {
    if (only_stops(signal)) return before_signal_to(process_behind(pidfd), signal);
    before_signal(signal);
}

void before_signal_to(pid_t destination, int signal) {
    if (only_stops(signal) && destination != kernel::process()) let_others_go_before_stop(destination);
    if (file_count.load(std::memory_order_relaxed) != 0 && reaches_us(destination)) before_signal(signal);
}

void after_handler(int signal, bool is_fault) {
    const kernel::ErrnoGuard guard;
    if (own_process.load(std::memory_order_relaxed) == 0) return;
    if (signal == SIGABRT || (is_fault && has_default(signal))) leave();
}

}  // namespace clearway::io_cache
