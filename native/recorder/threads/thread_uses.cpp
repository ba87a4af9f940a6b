#include "recorder/threads/thread_uses.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/small_file.hpp"
#include "recorder/clock.hpp"
#include "recorder/host/affinity.hpp"
#include "recorder/lock.hpp"
#include "recorder/process.hpp"
#include "recorder/sampler.hpp"
#include "recorder/thread.hpp"
#include "recorder/threads/yields.hpp"

namespace clearway::recorder {
namespace {

// What a thread is called and may use changes hardly ever but when it is young: read in its first looks, then in each
// eighth. How long it waited for a processor changes only when it has run.
constexpr unsigned kYoungLooks = 3, kLooksPerClose = 8;
struct Known {
    std::uint64_t cpu_ns;  // at the newest look
    unsigned looks;
};
Known known[kMostThreadUses];  // of each of process.thread_uses
unsigned looks = 0;
bool names_too = false;  // of all, in this look

SpinLock looking;
bool mpi_starts = false;  // what begins now is the MPI's

void read_name(unsigned tid, char* name, std::size_t size) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%u/comm", tid);
    read_line(path, name, size);
}

// The newest that was not gone: the kernel gives numbers again. `number`: which of process.thread_uses.
ThreadUse* find(unsigned tid, std::uint32_t* number = nullptr) {
    for (std::uint32_t i = process.thread_uses.size(); i-- > 0;) {
        ThreadUse* use = process.thread_uses.at(i);
        if (use->tid != tid || (use->flags & kThreadGone) != 0) continue;
        if (number != nullptr) *number = i;
        return use;
    }
    return nullptr;
}

void note_asking(ThreadUse& use, std::uint64_t cpu_ns) {
    if (only_asked(use.tid, cpu_ns))
        __atomic_fetch_or(&use.flags, kThreadOnlyAsked, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(&use.flags, ~kThreadOnlyAsked, __ATOMIC_RELAXED);
}

// Of a thread that is known only the processor time, which costs a twelfth of reading all.
bool is_known(unsigned tid, std::uint64_t ticks) {
    ThreadUse* use = find(tid);
    if (use == nullptr) return false;
    const std::uint64_t cpu_ns = cpu_ns_of(tid);
    __atomic_store_n(&use->cpu_ns, cpu_ns, __ATOMIC_RELAXED);
    note_asking(*use, cpu_ns);
    __atomic_store_n(&use->last_ticks, ticks, __ATOMIC_RELAXED);
    return true;
}

// Each reading of /proc costs more than all else here.
void look_closely(ThreadUse& use, Known& before, std::uint64_t cpu_ns) {
    const bool again = looks % kLooksPerClose == 0 || names_too;
    if (cpu_ns == 0 || before.cpu_ns != cpu_ns || again)
        __atomic_store_n(&use.run_delay_ns, run_delay_ns_of(use.tid), __ATOMIC_RELAXED);
    if (before.looks < kYoungLooks || again) {
        read_name(use.tid, use.name, sizeof use.name);
        list_affinity(static_cast<int>(use.tid), use.cpus_allowed, sizeof use.cpus_allowed);
    }
    before = {cpu_ns, before.looks + 1};
    note_asking(use, cpu_ns);
}

void look_at(unsigned tid, std::uint64_t ticks, ThreadSums& sums) {
    const bool own = static_cast<int>(tid) == sampler_thread_id();
    const std::uint64_t cpu_ns = cpu_ns_of(tid);
    std::uint32_t number = 0;
    ThreadUse* use = find(tid, &number);
    if (use == nullptr) {
        const ThreadUse fresh{tid, mpi_starts ? kThreadOfMpi : 0U, cpu_ns, 0, ticks, ticks, "", ""};
        use = process.thread_uses.add(process.file, fresh, &number);
        if (use != nullptr) known[number] = {};
    }
    if (!own) ++sums.threads;
    if (use == nullptr) {  // no room for it
        if (!own) sums.run_delay_ns += run_delay_ns_of(tid);
        return;
    }
    if (own) __atomic_store_n(&use->flags, kThreadOfRecord, __ATOMIC_RELAXED);
    look_closely(*use, known[number], cpu_ns);
    __atomic_store_n(&use->cpu_ns, cpu_ns, __ATOMIC_RELAXED);
    __atomic_store_n(&use->last_ticks, ticks, __ATOMIC_RELAXED);
    if (!own) sums.run_delay_ns += use->run_delay_ns;
}

void note_the_gone(std::uint64_t ticks) {
    for (std::uint32_t i = 0; i < process.thread_uses.size(); ++i) {
        ThreadUse* use = process.thread_uses.at(i);
        if (use->last_ticks < ticks) __atomic_fetch_or(&use->flags, kThreadGone, __ATOMIC_RELAXED);
    }
}

enum class Of { kAll, kNew };

ThreadSums look_at_all(Of which = Of::kAll) {
    ThreadSums sums;
    const int directory =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
    if (directory < 0) return sums;
    const std::uint64_t ticks = now_ticks();
    alignas(dirent64) char entries[4096];
    for (long length; (length = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0;) {
        for (long at = 0; at < length;) {
            const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
            at += entry->d_reclen;
            if (entry->d_name[0] == '.') continue;
            const auto tid = static_cast<unsigned>(std::strtoul(entry->d_name, nullptr, 10));
            if (which == Of::kAll || !is_known(tid, ticks)) look_at(tid, ticks, sums);
        }
    }
    syscall(SYS_close, directory);
    note_the_gone(ticks);
    return sums;
}

}  // namespace

// include/linux/posix-timers.h: CPUCLOCK_PERTHREAD, CPUCLOCK_SCHED.
std::uint64_t cpu_ns_of(unsigned tid) {
    constexpr unsigned kPerThreadSched = 6;
    timespec time{};
    if (clock_gettime(static_cast<clockid_t>((~tid << 3) | kPerThreadSched), &time) != 0) return 0;
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t run_delay_ns_of(unsigned tid) {
    char path[64], text[96];
    std::snprintf(path, sizeof path, "/proc/self/task/%u/schedstat", tid);
    return read_line(path, text, sizeof text) ? run_delay_in(text) : 0;
}

std::uint64_t run_delay_in(const char* schedstat) {
    char* rest = nullptr;
    std::strtoull(schedstat, &rest, 10);
    return std::strtoull(rest, nullptr, 10);
}

ThreadSums read_threads(Names names) {
    const SpinGuard guard(looking);
    ++looks;
    names_too = names == Names::kAll;
    return look_at_all();
}

void find_new_threads() {
    const SpinGuard guard(looking);
    look_at_all(Of::kNew);
}

void note_own_end() {
    if (!recording) return;
    const int saved_errno = errno;
    const auto tid = static_cast<unsigned>(syscall(SYS_gettid));
    const SpinGuard guard(looking);
    ThreadSums sums;
    look_at(tid, now_ticks(), sums);
    errno = saved_errno;
}

void before_mpi_starts() {
    const SpinGuard guard(looking);
    look_at_all();
    mpi_starts = true;
}

void after_mpi_started() {
    const SpinGuard guard(looking);
    look_at_all();
    mpi_starts = false;
}

void list_others(ThreadList& others) {
    const std::uint32_t main = __atomic_load_n(&main_thread, __ATOMIC_RELAXED);
    const std::uint32_t main_tid = main < process.threads.size() ? process.threads.at(main)->tid : 0;
    others.number = 0;
    for (std::uint32_t i = 0; i < process.thread_uses.size() && others.number < kMostThreads; ++i) {
        const ThreadUse* use = process.thread_uses.at(i);
        if (use->tid != main_tid && __atomic_load_n(&use->flags, __ATOMIC_RELAXED) == 0)
            others.tids[others.number++] = use->tid;
    }
}

}  // namespace clearway::recorder
