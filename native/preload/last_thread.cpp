#include "preload/last_thread.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/small_file.hpp"

// One for the whole process, however many of our libraries it has: the dynamic linker takes the first of each name.
extern "C" {
[[gnu::visibility("default"), gnu::weak]] constinit std::atomic<std::uint64_t> clearway_own_threads{0};
[[gnu::visibility("default"), gnu::weak]] constinit std::atomic<bool> clearway_watches_main_thread{false};
[[gnu::visibility("default"), gnu::weak]] constinit std::atomic<bool> clearway_main_thread_leaves{false};
}

namespace clearway {
namespace {

constexpr long kLook_ns = 10'000'000;
// glibc keeps the values of a thread's first 32 keys beside its stack, and allocates memory for those of others.
constexpr pthread_key_t kLastNear = 31;

// The count stands beside the process that it is of: the child of _Fork, or of a fork by number, has none of its
// parent's threads, and no handler of pthread_atfork is called there.
std::uint64_t none_here() { return static_cast<std::uint64_t>(syscall(SYS_getpid)) << 32; }

unsigned count_here(std::uint64_t counted) {
    return (counted ^ none_here()) >> 32 == 0 ? static_cast<unsigned>(counted) : 0;
}

void change_own_threads(unsigned by) {
    std::uint64_t counted = clearway_own_threads.load(std::memory_order_relaxed), changed = 0;
    do changed = none_here() | (count_here(counted) + by);
    while (!clearway_own_threads.compare_exchange_weak(counted, changed, std::memory_order_acq_rel));
}

pthread_key_t key;
constinit sigset_t signals_of_main{};

// Without a descriptor, of which the program would see the number: a folder's links are the folders in it, and two.
unsigned thread_count() {
    struct statx status {};
    if (syscall(SYS_statx, AT_FDCWD, "/proc/self/task", 0, STATX_NLINK, &status) != 0) return ~0U;
    return status.stx_nlink - 2;
}

// It stays among the threads until all others have left, without memory, and so without a program.
bool main_thread_has_left() {
    char path[8];
    return syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path) < 0 && errno == ENOENT;
}

bool only_ours_are_left() {
    const unsigned own = count_here(clearway_own_threads.load(std::memory_order_acquire));
    return thread_count() == own + 1 && main_thread_has_left();
}

void* wait_for_the_last(void*) {
    {
        const OwnThread own;
        syscall(SYS_prctl, PR_SET_NAME, "clearway");
        constexpr timespec kLook{0, kLook_ns};
        while (!only_ours_are_left()) nanosleep(&kLook, nullptr);
    }
    pthread_sigmask(SIG_SETMASK, &signals_of_main, nullptr);
    std::exit(0);  // NOLINT(concurrency-mt-unsafe): the program's last thread
}

// As of wait(2): the last field of its line in /proc.
int status_of_main_thread() {
    char path[64], line[1024];
    const auto pid = static_cast<long>(syscall(SYS_getpid));
    std::snprintf(path, sizeof path, "/proc/self/task/%ld/stat", pid);
    if (!read_line(path, line, sizeof line)) return 0;
    const char* last = std::strrchr(line, ' ');
    return last != nullptr ? static_cast<int>(std::strtol(last, nullptr, 10)) : 0;
}

// By the kernel's own calls: libc would call what the program left for its end.
void leave_as(int status) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        std::signal(signal, SIG_DFL);
        sigset_t only;
        sigemptyset(&only);
        sigaddset(&only, signal);
        pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
        syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), signal);
    }
    syscall(SYS_exit, WEXITSTATUS(status));
}

// Signals go to the program's threads, as long as it has some.
void start_waiting() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &signals_of_main);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    pthread_create(&thread, &attributes, wait_for_the_last, nullptr);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &signals_of_main, nullptr);
}

void at_thread_end(void*) {
    if (syscall(SYS_gettid) != syscall(SYS_getpid)) return;
    clearway_main_thread_leaves.store(true, std::memory_order_release);
    start_waiting();
}

// A number that nobody else is likely to have. A copy of libc that dlmopen has loaded counts keys from 0 as well, and
// threads have one array of values for all copies; programs ask with a key that they have not made yet, 0.
bool make_distant_key() {
    pthread_key_t nearer[kLastNear];
    unsigned count = 0;
    bool is_made = pthread_key_create(&key, at_thread_end) == 0;
    while (is_made && key < kLastNear) {
        nearer[count++] = key;
        is_made = pthread_key_create(&key, at_thread_end) == 0;
    }
    while (count > 0) pthread_key_delete(nearer[--count]);
    return is_made;
}

// The thread that forked is the child's main one.
void in_child() {
    clearway_own_threads.store(0, std::memory_order_relaxed);
    clearway_main_thread_leaves.store(false, std::memory_order_relaxed);
    pthread_setspecific(key, &key);
}

}  // namespace

void watch_main_thread() {
    if (clearway_watches_main_thread.exchange(true) || !make_distant_key()) return;
    pthread_setspecific(key, &key);
    pthread_atfork(nullptr, nullptr, in_child);
}

OwnThread::OwnThread() { change_own_threads(1); }

OwnThread::~OwnThread() {
    change_own_threads(~0U);
    if (is_left_behind_) leave_as(status_of_main_thread());
}

bool OwnThread::is_left_behind() {
    is_left_behind_ = !clearway_main_thread_leaves.load(std::memory_order_acquire) && only_ours_are_left();
    return is_left_behind_;
}

}  // namespace clearway
