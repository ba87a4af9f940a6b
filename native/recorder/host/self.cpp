// This process: what runs, with which limits, and what the kernel counts for it.
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/process_stat.hpp"
#include "base/small_file.hpp"
#include "recorder/host/affinity.hpp"
#include "recorder/host/counter_set.hpp"
#include "recorder/host/host.hpp"
#include "recorder/host/mapped_bytes.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"
#include "recorder/thread.hpp"
#include "recorder/threads/thread_uses.hpp"

namespace clearway::recorder {
namespace {

constinit CounterSet counters{process.counters, process.file};
std::atomic_flag sampling;

void describe_link(const char* name, const char* link) {
    char text[sizeof Fact::text];
    const long length = syscall(SYS_readlinkat, AT_FDCWD, link, text, sizeof text - 1);
    if (length <= 0) return;
    text[length] = '\0';
    add_fact(name, text);
}

// Appends `argument` so that a shell would read it back as one word; says whether there was room.
bool append_quoted(char* text, std::size_t size, std::size_t& used, const char* argument) {
    const auto put = [&](char c) {
        if (used + 1 < size) text[used++] = c;
    };
    constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
    if (used > 0) put(' ');
    if (*argument != '\0' && argument[std::strspn(argument, kPlain)] == '\0') {
        for (; *argument != '\0'; ++argument) put(*argument);
    } else {
        put('\'');
        for (; *argument != '\0'; ++argument) {
            if (*argument != '\'')
                put(*argument);
            else
                for (const char c : {'\'', '\\', '\'', '\''}) put(c);
        }
        put('\'');
    }
    return used + 1 < size;
}

void describe_command_line() {
    char arguments[4096];
    const long length = read_small_file("/proc/self/cmdline", arguments, sizeof arguments);
    if (length <= 0) return;
    char text[sizeof Fact::text];
    std::size_t used = 0;
    for (const char* at = arguments; at < arguments + length; at += std::strlen(at) + 1)
        if (!append_quoted(text, sizeof text, used, at)) break;
    text[used] = '\0';
    add_fact("process.command_line", text);
}

// Whose malloc the program calls, where it is not the C library's: what that is told by its variables, others ignore.
void describe_allocator() {
    void* const malloc_in_use = dlsym(RTLD_DEFAULT, "malloc");
    void* const libc_itself = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    Dl_info in_use{}, libc{};
    if (malloc_in_use == nullptr || libc_itself == nullptr || dladdr(malloc_in_use, &in_use) == 0 ||
        dladdr(libc_itself, &libc) == 0 || in_use.dli_fbase == libc.dli_fbase || in_use.dli_fname == nullptr)
        return;
    add_fact("process.allocator", in_use.dli_fname);
}

void describe_affinity() {
    char text[sizeof Fact::text];
    if (list_processors(processors_at_start(), text, sizeof text)) add_fact("process.cpus_allowed", text);
}

// How far the process gives way to others: 0 to 19, or less than 0, which takes a privilege.
void describe_priority() {
    errno = 0;
    const int nice = getpriority(PRIO_PROCESS, 0);
    if (errno != 0) return;
    char text[16];
    std::snprintf(text, sizeof text, "%d", nice);
    add_fact("process.nice", text);
}

// Classes other than the usual one: two give way to everybody, two to nobody.
void describe_scheduler() {
    const char* name = nullptr;
    switch (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) {
        case SCHED_BATCH:
            name = "SCHED_BATCH";
            break;
        case SCHED_IDLE:
            name = "SCHED_IDLE";
            break;
        case SCHED_FIFO:
            name = "SCHED_FIFO";
            break;
        case SCHED_RR:
            name = "SCHED_RR";
            break;
        default:
            return;
    }
    add_fact("process.scheduler", name);
}

void describe_limit(const char* name, __rlimit_resource resource) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0) return;
    char text[32] = "unlimited";
    if (limit.rlim_cur != RLIM_INFINITY)
        std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(limit.rlim_cur));
    add_fact(name, text);
}

std::uint64_t as_ns(const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_usec) * 1'000U;
}

void sample_usage() {
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) return;
    counters.set("process.cpu_all_threads_ns", as_ns(usage.ru_utime) + as_ns(usage.ru_stime));
    counters.set("process.peak_rss_bytes", static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
    counters.set("process.minor_faults", static_cast<std::uint64_t>(usage.ru_minflt));
    counters.set("process.mapped_bytes", mapped_bytes.load(std::memory_order_relaxed));
    counters.set("process.major_faults", static_cast<std::uint64_t>(usage.ru_majflt));
    counters.set("process.voluntary_switches", static_cast<std::uint64_t>(usage.ru_nvcsw));
    counters.set("process.involuntary_switches", static_cast<std::uint64_t>(usage.ru_nivcsw));
    // Programs that it started, once it has waited for them.
    if (getrusage(RUSAGE_CHILDREN, &usage) == 0)
        counters.set("process.children_cpu_ns", as_ns(usage.ru_utime) + as_ns(usage.ru_stime));
}

// What the kernel did for the main thread: system calls, page faults, signals.
void sample_kernel_time() {
    const std::uint32_t main = __atomic_load_n(&main_thread, __ATOMIC_RELAXED);
    char path[64], stat[1024];
    if (main >= process.threads.size()) return;
    std::snprintf(path, sizeof path, "/proc/self/task/%u/stat", process.threads.at(main)->tid);
    if (!read_text(path, stat, sizeof stat)) return;
    const auto ms_per_tick = static_cast<std::uint64_t>(1000 / std::max(1L, sysconf(_SC_CLK_TCK)));
    counters.set("process.main_system_ms", stat_number(stat, 15) * ms_per_tick);
}

}  // namespace

void describe_process() {
    const int saved_errno = errno;
    describe_link("process.program", "/proc/self/exe");
    describe_command_line();
    describe_link("process.cwd", "/proc/self/cwd");
    describe_link("process.user_namespace", "/proc/self/ns/user");
    describe_affinity();
    describe_allocator();
    describe_priority();
    describe_scheduler();
    utsname names{};
    if (uname(&names) == 0) add_fact("process.nodename", names.nodename);
    char text[sizeof Fact::text];
    if (read_line("/proc/self/comm", text, sizeof text)) add_fact("process.comm", text);
    if (read_line("/proc/self/cgroup", text, sizeof text)) add_fact("process.cgroup", text);
    struct stat status {};
    if (syscall(SYS_fstat, STDOUT_FILENO, &status) == 0)
        describe_link(S_ISREG(status.st_mode) ? "process.stdout" : "process.stdout_to", "/proc/self/fd/1");
    describe_limit("process.limit_locked_bytes", RLIMIT_MEMLOCK);
    describe_limit("process.limit_stack_bytes", RLIMIT_STACK);
    describe_limit("process.limit_open_files", RLIMIT_NOFILE);
    describe_cgroup();
    describe_launcher();
    describe_environment();
    sample_process(Names::kAll);
    errno = saved_errno;
}

void sample_process(Names names) {
    if (sampling.test_and_set(std::memory_order_acquire)) return;
    const int saved_errno = errno;
    sample_usage();
    sample_kernel_time();
    const ThreadSums sums = read_threads(names);
    counters.set("process.threads", sums.threads);
    counters.set("process.run_delay_all_threads_ns", sums.run_delay_ns);
    char text[512];
    std::uint64_t number = 0;
    if (read_line("/proc/self/statm", text, sizeof text)) {
        char* rest = nullptr;
        std::strtoull(text, &rest, 10);
        counters.set("process.rss_bytes",
                     std::strtoull(rest, nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
    }
    if (read_text("/proc/self/io", text, sizeof text)) {
        if (number_after(text, "\nread_bytes:", number)) counters.set("process.read_bytes", number);
        if (number_after(text, "\nwrite_bytes:", number)) counters.set("process.write_bytes", number);
    }
    // "se.nr_migrations      :    12", of the main thread, where the kernel has CONFIG_SCHED_DEBUG.
    char schedule[8192];
    const char* migrations = nullptr;
    if (read_text("/proc/self/sched", schedule, sizeof schedule)) migrations = std::strstr(schedule, "nr_migrations");
    if (migrations != nullptr && number_after(migrations, ":", number)) counters.set("process.migrations", number);
    sample_cgroup(counters);
    sample_own_processors(counters);
    sample_memory_nodes(counters);
    errno = saved_errno;
    sampling.clear(std::memory_order_release);
}

}  // namespace clearway::recorder
