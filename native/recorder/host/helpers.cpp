// Programs that the job's own script runs beside the launcher, on the host of both: what compresses its output, copies
// it away, watches it. They are no ranks, and no strangers either.
//
// The script is the shell above the launcher, and above it those that run it. A shell that a person types at is none:
// what else was started there may have nothing to do with the job.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "base/process_stat.hpp"
#include "base/small_file.hpp"
#include "recorder/host/counter_set.hpp"
#include "recorder/host/launchers.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr int kMostProcesses = 128;  // of the script's, at a time
constexpr int kDeepest = 8;
constexpr int kMostNames = 8;
constexpr int kMostLaunchers = 8;  // that a script has running at a time

constexpr const char* kShells[] = {"sh", "bash", "dash", "ksh", "zsh", "csh", "tcsh", "busybox"};
constexpr const char kOurOwn[] = "clearway";
constexpr const char* kPassedOn[] = {"timeout", "time", "nohup", "setsid"};  // between a script and the launcher

struct Named {
    char name[sizeof ProcessStat::name];
    std::uint64_t now_ticks, most_ticks;  // of those that run now; the most that was seen: they come and go
};

struct Chain {  // this process's ancestors, which are no helpers
    long pids[kMostLevels];
    int length = 0;
    bool ends_here = false;  // this process is the script: launchers are below it, with all ranks

    bool has(long pid) const { return std::find(pids, pids + length, pid) != pids + length; }
};

struct Launchers {  // below the script, at one sample
    long pids[kMostLaunchers];
    int count = 0;

    void add(long pid) {
        if (count < kMostLaunchers) pids[count++] = pid;
    }
    bool has(long pid) const { return std::find(pids, pids + count, pid) != pids + count; }
};

// What a script has waited for counts as its own, but for launchers: the kernel adds their ranks' CPU time to the
// script's children as they end. What came together while one ended is nobody knows whose.
class WithoutLaunchers {
public:
    std::uint64_t ticks(std::uint64_t below, const Launchers& running) {
        const auto gone = [&](long pid) { return !running.has(pid); };
        const bool one_ended = std::any_of(seen_.pids, seen_.pids + seen_.count, gone);
        if (one_ended && below > last_) left_out_ += below - last_;
        seen_ = running;
        last_ = below;
        if (below > left_out_) most_ = std::max(most_, below - left_out_);
        return most_;
    }

private:
    Launchers seen_;
    std::uint64_t last_ = 0, left_out_ = 0, most_ = 0;
};

WithoutLaunchers without_launchers;
Named named[kMostNames];
int processes_left;
char children_at[kDeepest][4096];  // by depth; not on the sampler's stack, which is small

template <std::size_t N>
bool is_one_of(const char* name, const char* const (&known)[N]) {
    return std::any_of(std::begin(known), std::end(known), [name](const char* one) { return !std::strcmp(one, name); });
}

// By the program that it executes: a script that is run by its own name has that name.
bool is_shell(long pid) {
    char path[64], program[512];
    std::snprintf(path, sizeof path, "/proc/%ld/exe", pid);
    const int saved_errno = errno;
    const long length = syscall(SYS_readlinkat, AT_FDCWD, path, program, sizeof program - 1);
    errno = saved_errno;
    if (length <= 0) return false;
    program[length] = '\0';
    const char* slash = std::strrchr(program, '/');
    return is_one_of(slash != nullptr ? slash + 1 : program, kShells);
}

// Whether this process is the script: a shell that no launcher started, where `clearway run` records a whole script.
bool is_the_script() {
    if (!is_shell(getpid())) return false;
    ProcessStat ancestor;
    long pid = getppid();
    for (int level = 0; level < kMostLevels && pid > 1 && read_process_stat(pid, ancestor); ++level) {
        if (is_launcher(ancestor.name) && std::strcmp(ancestor.name, kOurOwn) != 0) return false;
        pid = ancestor.parent_pid;
    }
    return true;
}

// The topmost script above the launcher, of the same process group as the lowest; 0 where there is none. In `chain`
// stands what is below.
long find_script(Chain& chain) {
    chain.ends_here = is_the_script();
    if (chain.ends_here) return getpid();
    ProcessStat ancestor;
    long script = 0, group = 0;
    bool above_launcher = false;
    long pid = getppid();
    for (int level = 0; level < kMostLevels && pid > 1 && read_process_stat(pid, ancestor); ++level) {
        const bool shell = above_launcher && is_shell(pid);
        if (shell) {
            const bool typed_at = ancestor.session == pid && ancestor.terminal != 0;
            if (typed_at || (script != 0 && ancestor.group != group)) break;
            script = pid;
            group = ancestor.group;
        } else if (script != 0 ||
                   (above_launcher && !is_launcher(ancestor.name) && !is_one_of(ancestor.name, kPassedOn))) {
            break;
        } else {
            chain.pids[chain.length++] = pid;
            above_launcher |= is_launcher(ancestor.name);
        }
        pid = ancestor.parent_pid;
    }
    return script;
}

void count_under_its_name(const ProcessStat& helper) {
    for (Named& one : named) {
        if (one.name[0] == '\0') std::memcpy(one.name, helper.name, sizeof one.name);
        if (std::strcmp(one.name, helper.name) != 0) continue;
        one.now_ticks += helper.cpu_ticks;
        return;
    }
}

// CPU time of a process, of those that it started, and of those of them that it has waited for.
std::uint64_t ticks_below(const ProcessStat& parent, const Chain& chain, Launchers& running, int depth) {
    std::uint64_t ticks = parent.cpu_ticks + parent.ended_children_ticks;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", parent.pid, parent.pid);
    if (depth == kDeepest || !read_text(path, children_at[depth], sizeof children_at[depth])) return ticks;
    for (char* at = children_at[depth]; processes_left > 0;) {
        const long pid = std::strtol(at, &at, 10);
        if (pid <= 0) break;
        ProcessStat child;
        if (chain.has(pid) || !read_process_stat(pid, child)) continue;
        if (chain.ends_here && is_launcher(child.name)) {
            running.add(pid);
            continue;
        }
        --processes_left;
        count_under_its_name(child);
        ticks += ticks_below(child, chain, running, depth + 1);
    }
    return ticks;
}

}  // namespace

void sample_helpers(CounterSet& counters) {
    Chain chain;
    ProcessStat script;
    const long pid = find_script(chain);
    if (pid == 0 || !read_process_stat(pid, script)) return;
    const auto ms_per_tick = static_cast<std::uint64_t>(1000 / std::max(1L, sysconf(_SC_CLK_TCK)));
    for (Named& one : named) one.now_ticks = 0;
    processes_left = kMostProcesses;
    Launchers running;
    const std::uint64_t below = ticks_below(script, chain, running, 0);
    counters.set("helpers.cpu_ms", (chain.ends_here ? without_launchers.ticks(below, running) : below) * ms_per_tick);
    for (Named& one : named) {
        one.most_ticks = std::max(one.most_ticks, one.now_ticks);
        char name[sizeof one.name + 8];
        std::snprintf(name, sizeof name, "%.*s.cpu_ms", static_cast<int>(sizeof one.name) - 1, one.name);
        if (one.most_ticks != 0) counters.set("helper", name, one.most_ticks * ms_per_tick);
    }
}

}  // namespace clearway::recorder
