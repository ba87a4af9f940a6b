// Other jobs of Slurm on this host: it makes a control group for each, and all may read their names. Whose CPU time
// these jobs use is what a user asks first whose ranks had to wait for a core.
//
//   version 1   /sys/fs/cgroup/CONTROLLER/slurm/uid_1000/job_12/step_0/task_0
//   version 2   /sys/fs/cgroup/system.slice/slurmstepd.scope/job_12/step_0/user/task_0
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/folder.hpp"
#include "base/process_stat.hpp"
#include "base/small_file.hpp"
#include "recorder/host/control_group.hpp"
#include "recorder/host/counter_set.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr int kMostJobs = 8;
constexpr int kMostProcesses = 512;  // of all jobs at a time, where only processes tell how much CPU time a job used
constexpr int kMostGroups = 64;      // of a job
constexpr int kDeepest = 4;          // below a job: steps, tasks
constexpr char kJob[] = "/job_", kUser[] = "uid_";

struct OtherJob {
    unsigned long number = 0;
    std::uint64_t cpu_ms = 0;  // the most that was seen: processes leave
};

Group all_jobs;  // empty: nothing tells
bool by_user;    // whether it has a folder for each user
unsigned long own_job;
OtherJob jobs[kMostJobs];
int processes_left;  // to be read at this time

std::uint64_t ms_per_tick() { return static_cast<std::uint64_t>(1000 / std::max(1L, sysconf(_SC_CLK_TCK))); }

unsigned long number_of(const char* name) {
    const char* digits = kJob + 1;
    const std::size_t length = std::strlen(digits);
    return std::strncmp(name, digits, length) == 0 ? std::strtoul(name + length, nullptr, 10) : 0;
}

// Not by libc's access, which may be an entry point of our own.
bool may_be_listed(const char* path) {
    const int saved_errno = errno;
    const long answer = syscall(SYS_faccessat, AT_FDCWD, path, R_OK | X_OK);
    errno = saved_errno;
    return answer == 0;
}

bool find_jobs(const char* controller) {
    Group group{};
    if (!find_group(controller, group)) return false;
    char* job = std::strstr(group.path, kJob);
    if (job == nullptr || (own_job = number_of(job + 1)) == 0) return false;
    *job = '\0';
    all_jobs = group;
    const char* last = std::strrchr(group.path, '/');
    by_user = last != nullptr && std::strncmp(last + 1, kUser, std::strlen(kUser)) == 0;
    if (by_user) rise(all_jobs);
    return may_be_listed(all_jobs.path);
}

std::uint64_t cpu_ms_of_processes(const char* group) {
    static char pids[8192];  // by one thread at a time
    char path[1280];
    std::snprintf(path, sizeof path, "%.1200s/cgroup.procs", group);
    if (!read_text(path, pids, sizeof pids)) return 0;
    std::uint64_t ticks = 0;
    for_each_line(pids, [&](const char* line) {
        ProcessStat of_process;
        if (processes_left-- > 0 && read_process_stat(std::strtol(line, nullptr, 10), of_process))
            ticks += of_process.cpu_ticks;
    });
    return ticks * ms_per_tick();
}

std::uint64_t cpu_ms_below(const char* group, int depth, int& left) {
    std::uint64_t ms = cpu_ms_of_processes(group);
    if (depth == kDeepest) return ms;
    for_each_name(group, [&](const char* name) {
        const bool is_group = std::strncmp(name, "step_", 5) == 0 || std::strncmp(name, "task_", 5) == 0 ||
                              std::strcmp(name, "user") == 0 || std::strcmp(name, "slurm") == 0;
        if (!is_group) return true;
        char path[1280];
        std::snprintf(path, sizeof path, "%.1150s/%.100s", group, name);
        ms += cpu_ms_below(path, depth + 1, left);
        return --left > 0;
    });
    return ms;
}

std::uint64_t cpu_ms_of(const char* group) {
    char path[1280], text[512];
    std::uint64_t us = 0;
    std::snprintf(path, sizeof path, "%.1200s/cpu.stat", group);
    if (read_text(path, text, sizeof text) && number_after(text, "usage_usec", us)) return us / 1000;
    std::snprintf(path, sizeof path, "%.1200s/cpuacct.usage", group);
    if (read_line(path, text, sizeof text)) return std::strtoull(text, nullptr, 10) / 1'000'000;
    int left = kMostGroups;
    return cpu_ms_below(group, 0, left);
}

OtherJob* entry_of(unsigned long number) {
    for (OtherJob& job : jobs) {
        if (job.number == 0) job.number = number;
        if (job.number == number) return &job;
    }
    return nullptr;
}

void sample_jobs_in(const char* folder, CounterSet& counters) {
    for_each_name(folder, [&](const char* name) {
        const unsigned long number = number_of(name);
        OtherJob* job = number != 0 && number != own_job ? entry_of(number) : nullptr;
        if (job == nullptr) return true;
        char path[1280], counter[48];
        std::snprintf(path, sizeof path, "%.1150s/%.100s", folder, name);
        job->cpu_ms = std::max(job->cpu_ms, cpu_ms_of(path));
        std::snprintf(counter, sizeof counter, "other_jobs.%lu.cpu_ms", number);
        counters.set(counter, job->cpu_ms);
        return true;
    });
}

}  // namespace

void describe_other_jobs() {
    for (const char* controller : {"cpuacct", "freezer", "memory", "cpuset"}) {
        if (!find_jobs(controller)) continue;
        add_host_fact("other_jobs.in", all_jobs.path);
        return;
    }
    all_jobs.path[0] = '\0';
}

void sample_other_jobs(CounterSet& counters) {
    if (all_jobs.path[0] == '\0') return;
    processes_left = kMostProcesses;
    if (!by_user) return sample_jobs_in(all_jobs.path, counters);
    for_each_name(all_jobs.path, [&](const char* name) {
        if (std::strncmp(name, kUser, std::strlen(kUser)) != 0) return true;
        char path[1280];
        std::snprintf(path, sizeof path, "%.1150s/%.100s", all_jobs.path, name);
        sample_jobs_in(path, counters);
        return true;
    });
}

}  // namespace clearway::recorder
