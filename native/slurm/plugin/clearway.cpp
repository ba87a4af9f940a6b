// Slurm's plugin: records the MPI programs of every job, with nobody doing anything. In plugstack.conf:
//
//   optional clearway.so [spool=DIR] [folder=DIR] [partitions=A,B] [default=on|off]
//
// It is built on the site, for Slurm takes only plugins that were built for its own version: `clearway slurm plugin`.
// On each node, in slurmstepd: before the tasks start it makes a folder for their records in the node's spool, each
// task finds the recorder preloaded, and when the last has ended the records are brought into the user's folder, by
// clearway-slurm as that user. Whatever fails here, the job runs: at worst it is not recorded.
//
// What is left of a step whose node died, or whose gathering was killed, is gathered with a later one. slurmstepd holds
// a lock on the folder of its step: one without is nobody's.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

extern "C" {
#include <slurm/spank.h>
// The macro below defines them as constants, which C++ would keep to itself.
extern const char plugin_name[];
extern const char plugin_type[];
extern const unsigned int plugin_version;
extern const unsigned int spank_plugin_version;
SPANK_PLUGIN(clearway, 1)
}

#include "preload/reach.hpp"
#include "slurm/step.hpp"

#ifndef CLEARWAY_PREFIX
#error "CLEARWAY_PREFIX: where Clearway is installed; `clearway slurm plugin` says it"
#endif

namespace {

using clearway::slurm::Step;
using clearway::slurm::StepName;

constexpr char kLibrary[] = CLEARWAY_PREFIX "/lib/libclearway.so", kGatherer[] = CLEARWAY_PREFIX "/bin/clearway-slurm";
constexpr unsigned long long kLeastRoom_bytes = 4 << 20;  // of a task: a record begins with a hundredth of it
constexpr long kMostGathering_ms = 20'000;                // a file system that hangs must not hold the node
constexpr int kMostLeftOvers = 4;                         // of earlier steps, with each step
constexpr time_t kKept_s = 14 * 24 * 3600;                // that long a record waits for its user's folder
constexpr mode_t kOthersMayWrite = 022;
constexpr uint32_t kNoTask = 0xfffffffe;  // NO_VAL

// As plugstack.conf says, and the user.
struct Settings {
    const char* spool = clearway::slurm::kSpool;
    const char* folder = clearway::slurm::kFolder;
    const char* partitions = nullptr;  // null: all
    bool wanted = true;
} settings;

// Of the step that this slurmstepd runs.
struct State {
    bool records = false;
    StepName name{};
    int spool = -1;  // the folder of all steps
    int lock = -1;
    uid_t user = 0;
    gid_t group = 0;
    gid_t* groups = nullptr;
    int group_count = 0;
    uint32_t tasks = 0, ended = 0;
} state;

[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) {
    char text[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    slurm_error("clearway: %s", text);  // of the log, and while tasks start the user's standard error
}

const char* after(const char* text, const char* name) {
    const size_t length = strlen(name);
    return strncmp(text, name, length) == 0 ? text + length : nullptr;
}

void read_setting(const char* text) {
    if (const char* spool = after(text, "spool="))
        settings.spool = spool;
    else if (const char* folder = after(text, "folder="))
        settings.folder = folder;
    else if (const char* partitions = after(text, "partitions="))
        settings.partitions = partitions;
    else if (const char* otherwise = after(text, "default="))
        settings.wanted = strcmp(otherwise, "off") != 0;
    else
        slurm_error("clearway: plugstack.conf: unknown option '%s'", text);
}

int on_option(int, const char* given, int) {
    const bool on = given != nullptr && strcmp(given, "on") == 0;
    if (!on && (given == nullptr || strcmp(given, "off") != 0)) {
        slurm_error("clearway: --clearway=%s is not valid: on or off", given != nullptr ? given : "");
        return -1;
    }
    settings.wanted = on;
    if (on) settings.partitions = nullptr;
    return 0;
}

char option_name[] = "clearway", option_values[] = "on|off",
     option_help[] = "record where the time of MPI programs goes (clearway report JOB)";
spank_option option{option_name, option_values, option_help, 1, 0, on_option};

bool in_list(const char* list, const char* word) {
    const size_t length = strlen(word);
    for (const char* at = list; at != nullptr; at = strchr(at, ','), at = at != nullptr ? at + 1 : nullptr)
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    return false;
}

bool in_partition(spank_t spank) {
    char partition[256] = "";
    if (settings.partitions == nullptr) return true;
    return spank_getenv(spank, "SLURM_JOB_PARTITION", partition, sizeof partition) == ESPANK_SUCCESS &&
           in_list(settings.partitions, partition);
}

// False for the batch script and the like: only what srun starts is recorded.
bool find_step(spank_t spank, Step& step) {
    if (spank_get_item(spank, S_JOB_ID, &step.job) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &step.step) != ESPANK_SUCCESS ||
        step.step >= clearway::slurm::kFirstSpecialStep)
        return false;
    char number[16];
    if (spank_getenv(spank, "SLURM_HET_JOB_ID", number, sizeof number) == ESPANK_SUCCESS)
        step.job = static_cast<uint32_t>(strtoul(number, nullptr, 10));
    // Slurm's item of that count is the batch script's alone; its steps have the variable.
    if (spank_getenv(spank, "SLURM_RESTART_COUNT", number, sizeof number) == ESPANK_SUCCESS)
        step.restarts = static_cast<uint32_t>(strtoul(number, nullptr, 10));
    if (spank_get_item(spank, S_JOB_ARRAY_ID, &step.array) != ESPANK_SUCCESS) step.array = 0;
    if (step.array > 0) spank_get_item(spank, S_JOB_ARRAY_TASK_ID, &step.array_task);
    if (step.array_task >= kNoTask) step.array = 0;  // Slurm calls every job an array of its own
    return true;
}

// The folder of all steps is root's alone, so that nobody puts a link there. Says why it cannot be used.
int open_spool() {
    if (mkdir(settings.spool, 0711) != 0 && errno != EEXIST) {
        say("this job runs unrecorded: cannot make the spool %s: %s", settings.spool, strerror(errno));
        return -1;
    }
    struct stat status;
    const int fd = open(settings.spool, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == 0 && (status.st_mode & kOthersMayWrite) == 0) return fd;
    say("this job runs unrecorded: the spool %s must be a directory that belongs to root and that only root can write "
        "to",
        settings.spool);
    if (fd >= 0) close(fd);
    return -1;
}

bool has_room(int spool, uint32_t tasks) {
    struct statvfs status;
    if (fstatvfs(spool, &status) != 0) return true;
    if (status.f_bavail * status.f_frsize >= kLeastRoom_bytes * (tasks > 0 ? tasks : 1)) return true;
    say("this job runs unrecorded: the spool %s is full", settings.spool);
    return false;
}

bool make_step_folder() {
    const char* name = state.name.text;
    if (mkdirat(state.spool, name, 0700) != 0 && errno != EEXIST) {
        say("this job runs unrecorded: cannot make %s/%s: %s", settings.spool, name, strerror(errno));
        return false;
    }
    state.lock = openat(state.spool, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return state.lock >= 0 && flock(state.lock, LOCK_EX | LOCK_NB) == 0 &&
           fchown(state.lock, state.user, state.group) == 0;
}

// The nearest folder that there is of a path which is to be made.
bool may_be_made(const char* path) {
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    while (part[0] != '\0') {
        struct stat status;
        if (stat(part, &status) == 0) return faccessat(AT_FDCWD, part, W_OK | X_OK, AT_EACCESS) == 0;
        if (errno != ENOENT) return false;
        char* slash = strrchr(part, '/');
        if (slash == part) return faccessat(AT_FDCWD, "/", W_OK, AT_EACCESS) == 0;
        *slash = '\0';
    }
    return false;
}

bool find_folder(uid_t user, char* path, size_t capacity) {
    char text[4096];
    passwd entry, *found = nullptr;
    return getpwuid_r(user, &entry, text, sizeof text, &found) == 0 && found != nullptr &&
           clearway::slurm::fill_in_folder(settings.folder, found->pw_dir, found->pw_name, path, capacity);
}

struct Owner {
    uid_t user;
    gid_t group;
    const gid_t* groups;
    size_t group_count;
};

// In a forked child of a process with threads: raw system calls, which concern this thread alone, and nothing else.
[[noreturn]] void become(const Owner& owner, char* const* words, int said) {
    if (syscall(SYS_setgroups, owner.group_count, owner.groups) == 0 &&
        syscall(SYS_setresgid, owner.group, owner.group, owner.group) == 0 &&
        syscall(SYS_setresuid, owner.user, owner.user, owner.user) == 0 && owner.user != 0) {
        const int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, 0);
        dup2(nothing, 1);
        dup2(said, 2);
        char* no_variables[] = {nullptr};
        execve(words[0], words, no_variables);
    }
    _exit(127);
}

long now_ms() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

// What it says on stderr until it ends, or the time is over: then it is killed, and may be called again.
void listen(int said, char* text, size_t capacity) {
    const long end_ms = now_ms() + kMostGathering_ms;
    for (size_t at = 0;;) {
        pollfd ready{said, POLLIN, 0};
        const long left_ms = end_ms - now_ms();
        if (left_ms <= 0 || poll(&ready, 1, static_cast<int>(left_ms)) <= 0) return;
        char rest[256];
        const ssize_t got =
            at + 1 < capacity ? read(said, text + at, capacity - 1 - at) : read(said, rest, sizeof rest);
        if (got <= 0) return;
        if (at + 1 < capacity) at += static_cast<size_t>(got);
        text[at < capacity ? at : capacity - 1] = '\0';
    }
}

bool run_as(const Owner& owner, const char* verb, const char* spool, const char* run) {
    char program[] = CLEARWAY_PREFIX "/bin/clearway-slurm";
    char* words[] = {program, const_cast<char*>(verb), const_cast<char*>(spool), const_cast<char*>(run), nullptr};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    const pid_t child = fork();
    if (child == 0) become(owner, words, ends[1]);
    close(ends[1]);
    char text[1024] = "";
    if (child > 0) listen(ends[0], text, sizeof text);
    close(ends[0]);
    if (child < 0) return false;
    kill(child, SIGKILL);  // it has ended, or its time is over
    int status = 0;
    for (int tries = 0; tries < 100; ++tries) {
        const pid_t reaped = waitpid(child, &status, WNOHANG);
        if (reaped != 0) break;
        usleep(1000);  // in the kernel's hands: left behind
    }
    text[strcspn(text, "\n")] = '\0';
    if (text[0] != '\0') slurm_error("clearway: %s", text);
    return text[0] == '\0' && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// True when nothing of the step is left in the spool.
bool gather(const char* name, const Owner& owner) {
    if (unlinkat(state.spool, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return true;  // nothing was recorded
    char spool[PATH_MAX], folder[PATH_MAX], run[PATH_MAX + 128];
    if (!find_folder(owner.user, folder, sizeof folder)) return false;
    snprintf(spool, sizeof spool, "%s/%s", settings.spool, name);
    snprintf(run, sizeof run, "%s/%s", folder, name);
    run_as(owner, "gather", spool, run);
    return unlinkat(state.spool, name, AT_REMOVEDIR) == 0;
}

Owner own() { return {state.user, state.group, state.groups, static_cast<size_t>(state.group_count)}; }

// Of steps whose slurmstepd died.
void gather_left_overs() {
    const int again = openat(state.spool, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* folder = again >= 0 ? fdopendir(again) : nullptr;
    if (folder == nullptr) return;
    int number = 0;
    while (const dirent* entry = readdir(folder)) {
        const int fd = entry->d_name[0] != '.'
                           ? openat(state.spool, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                           : -1;
        if (fd < 0) continue;
        struct stat status;
        if (number < kMostLeftOvers && fstat(fd, &status) == 0 && status.st_uid != 0 &&
            flock(fd, LOCK_EX | LOCK_NB) == 0) {
            ++number;
            const Owner owner{status.st_uid, status.st_gid, nullptr, 0};
            if (!gather(entry->d_name, owner) && time(nullptr) - status.st_mtime > kKept_s) {
                char spool[PATH_MAX];
                snprintf(spool, sizeof spool, "%s/%s", settings.spool, entry->d_name);
                run_as(owner, "drop", spool, nullptr);
                unlinkat(state.spool, entry->d_name, AT_REMOVEDIR);
            }
        }
        close(fd);
    }
    closedir(folder);
}

bool is_recorded_already(spank_t spank) {
    char preloaded[4096];
    return spank_getenv(spank, "LD_PRELOAD", preloaded, sizeof preloaded) == ESPANK_SUCCESS &&
           strstr(preloaded, "libclearway.so") != nullptr;
}

bool is_reached(spank_t spank) {
    char** words = nullptr;
    int number = 0;
    if (spank_get_item(spank, S_JOB_ARGV, &number, &words) != ESPANK_SUCCESS || number < 1) return true;
    return !clearway::starts_containers(words[0]) &&
           (words[0][0] != '/' || clearway::why_not_reached(words[0]) == nullptr);
}

}  // namespace

extern "C" {

int slurm_spank_init(spank_t spank, int count, char* texts[]) {
    for (int i = 0; i < count; ++i) read_setting(texts[i]);
    const spank_context_t context = spank_context();
    if (context == S_CTX_LOCAL || context == S_CTX_REMOTE || context == S_CTX_ALLOCATOR)
        spank_option_register(spank, &option);
    return 0;
}

int slurm_spank_init_post_opt(spank_t spank, int, char**) {
    Step step{};
    if (spank_context() != S_CTX_REMOTE || !settings.wanted || !find_step(spank, step) || !in_partition(spank))
        return 0;
    if (access(kLibrary, R_OK) != 0 || access(kGatherer, X_OK) != 0) {
        say("this job runs unrecorded: Clearway is not in %s on this node", CLEARWAY_PREFIX);
        return 0;
    }
    spank_get_item(spank, S_JOB_UID, &state.user);
    spank_get_item(spank, S_JOB_GID, &state.group);
    spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &state.groups, &state.group_count);
    spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &state.tasks);
    state.name = name_of(step);
    state.spool = open_spool();
    state.records = state.spool >= 0 && has_room(state.spool, state.tasks) && make_step_folder();
    return 0;
}

// As the user, before any task: what is said here is on the user's standard error.
int slurm_spank_user_init(spank_t spank, int, char**) {
    char folder[PATH_MAX];
    uint32_t node = 0;
    if (!state.records || (find_folder(state.user, folder, sizeof folder) && may_be_made(folder))) return 0;
    state.records = false;
    spank_get_item(spank, S_JOB_NODEID, &node);
    if (node == 0) say("this job runs unrecorded: you may not write to %s", folder);
    return 0;
}

int slurm_spank_task_init(spank_t spank, int, char**) {
    if (!state.records || is_recorded_already(spank) || !is_reached(spank)) return 0;
    char folder[PATH_MAX], job[128], preloaded[4096] = "", libraries[sizeof kLibrary + sizeof preloaded];
    snprintf(folder, sizeof folder, "%s/%s", settings.spool, state.name.text);
    snprintf(job, sizeof job, "slurm-%s", state.name.text);
    spank_getenv(spank, "LD_PRELOAD", preloaded, sizeof preloaded);
    snprintf(libraries, sizeof libraries, "%s%s%s", kLibrary, preloaded[0] != '\0' ? ":" : "", preloaded);
    spank_setenv(spank, "CLEARWAY_DIR", folder, 1);
    spank_setenv(spank, "CLEARWAY_JOB", job, 1);
    spank_setenv(spank, "CLEARWAY_EVERY_JOB", "1", 1);  // what nobody asked for in person stays out of containers
    spank_setenv(spank, "LD_PRELOAD", libraries, 1);
    return 0;
}

// Before srun hears of it, so that the Run is there when srun returns.
int slurm_spank_task_exit(spank_t, int, char**) {
    if (state.spool >= 0 && state.lock >= 0 && ++state.ended == state.tasks) gather(state.name.text, own());
    return 0;
}

int slurm_spank_exit(spank_t, int, char**) {
    if (spank_context() != S_CTX_REMOTE || state.spool < 0) return 0;
    if (state.lock >= 0) {
        gather(state.name.text, own());
        close(state.lock);
    }
    gather_left_overs();
    close(state.spool);
    return 0;
}

}  // extern "C"
