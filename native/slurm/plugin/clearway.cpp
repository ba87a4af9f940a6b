// Slurm's plugin: records the MPI programs of every job, with nobody doing anything. In plugstack.conf:
//
//   optional clearway.so [spool=DIR] [folder=DIR] [partitions=A,B] [default=on|off]
//
// It is built on the site, for Slurm takes only plugins that were built for its own version: `clearway slurm plugin`.
// On each node, in slurmstepd: before the tasks start it makes a folder for their records in the node's spool, each
// task finds the recorder preloaded, and when the last has ended the records are brought into the user's folder, by
// clearway-slurm as that user. Whatever fails here, the job runs: at worst it is not recorded.
//
// A batch script has such a folder, too, for the mpiruns that it starts (native/recorder/launch.cpp): one below it for
// each, with the same path on all nodes, for mpirun may hand its own environment to all ranks. Where mpirun has srun
// start its daemons, that step is part of mpirun's Run: it uses mpirun's folder, and gathers it where it was first.
//
// What is left of a step whose node died, or whose gathering was killed, is gathered with a later one. slurmstepd holds
// a lock on the folder of its step: one without is nobody's.
#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

extern "C" {
#include <slurm/slurm.h>
#include <slurm/spank.h>
// The macro below defines them as constants, which C++ would keep to itself.
extern const char plugin_name[];
extern const char plugin_type[];
extern const unsigned int plugin_version;
extern const unsigned int spank_plugin_version;
SPANK_PLUGIN(clearway, 1)
}

#include "preload/reach.hpp"
#include "slurm/plugin/as_user.hpp"
#include "slurm/plugin/same_folder.hpp"
#include "slurm/step.hpp"

#ifndef CLEARWAY_PREFIX
#error "CLEARWAY_PREFIX: where Clearway is installed; `clearway slurm plugin` says it"
#endif

namespace {

using clearway::slurm::Owner;
using clearway::slurm::run_as;
using clearway::slurm::Step;
using clearway::slurm::StepName;

constexpr char kLibrary[] = CLEARWAY_PREFIX "/lib/libclearway.so", kGatherer[] = CLEARWAY_PREFIX "/bin/clearway-slurm";
constexpr unsigned long long kLeastRoom_bytes = 4 << 20;  // of a task: a record begins with a hundredth of it
constexpr int kMostLeftOvers = 4;                         // of earlier steps, with each step
constexpr time_t kKept_s = 14 * 24 * 3600;                // that long a record waits for its user's folder
constexpr int kMostTries = 10;                            // to have a folder that nobody is just removing
constexpr mode_t kOthersMayWrite = 022;
constexpr char kFolderMark[] = "CLEARWAY_FOLDER_MARK";  // srun's environment, for the nodes of the step
constexpr uint32_t kMostWhoSay = 2;                     // nodes: the first may be where srun is
constexpr int kBySignal = 128, kMostSignal = 64;
constexpr uint32_t kNoTask = 0xfffffffe;   // NO_VAL
constexpr uint32_t kMostComponents = 128;  // of a heterogeneous job: MAX_HET_JOB_COMPS

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
    StepName name{};       // of the Run
    char place[192] = "";  // its folder below the spool: the Run's name, or 1234.batch/mpirun1
    bool batch = false;    // this is the batch script's
    bool joins = false;    // an mpirun of the batch script
    int spool = -1;        // the folder of all steps
    int around = -1;       // that of the batch script of an mpirun
    int lock = -1;
    uid_t user = 0;
    gid_t group = 0;
    gid_t* groups = nullptr;
    int group_count = 0;
    uint32_t tasks = 0, ended = 0;
    bool is_rank = false;     // each task is the rank of its number: not of a heterogeneous job, nor mpirun's daemons
    char killed[32768] = "";  // tasks that a signal ended: slurm/gather.hpp
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

// Whether it has the environment of a batch script that is watched, or of a step that is recorded.
bool is_of_every_job(spank_t spank) {
    char text[8];
    return spank_getenv(spank, "CLEARWAY_EVERY_JOB", text, sizeof text) == ESPANK_SUCCESS;
}

// The number of a heterogeneous job's component. srun without an allocation still sets the names of Slurm 19 only.
bool find_component(spank_t spank, uint32_t at, uint32_t& job) {
    const char* const patterns[] = {"SLURM_JOB_ID_HET_GROUP_%u", "SLURM_JOB_ID_PACK_GROUP_%u"};
    for (const char* pattern : patterns) {
        char name[64], text[16];
        snprintf(name, sizeof name, pattern, at);
        if (spank_getenv(spank, name, text, sizeof text) != ESPANK_SUCCESS) continue;
        job = static_cast<uint32_t>(strtoul(text, nullptr, 10));
        return true;
    }
    return false;
}

// The jobs of a heterogeneous job are one, with the number of the first; its steps are counted together. A job that was
// submitted within another may have inherited that one's variables: they count where this job is among them.
uint32_t first_component(spank_t spank, uint32_t job) {
    for (uint32_t at = 0, first = job, component = 0; at < kMostComponents; ++at) {
        if (!find_component(spank, at, component)) break;
        if (at == 0) first = component;
        if (component == job) return first;
    }
    return job;
}

// False for the likes of an allocation's shell: what srun and a batch script start is recorded.
bool find_step(spank_t spank, Step& step) {
    if (spank_get_item(spank, S_JOB_ID, &step.job) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &step.step) != ESPANK_SUCCESS)
        return false;
    step.batch = step.step == SLURM_BATCH_SCRIPT;
    if (!step.batch && step.step >= clearway::slurm::kFirstSpecialStep) return false;
    char number[16], job[128];
    step.job = first_component(spank, step.job);
    // Slurm's item of that count is the batch script's alone; its steps have the variable.
    if (spank_getenv(spank, "SLURM_RESTART_COUNT", number, sizeof number) == ESPANK_SUCCESS)
        step.restarts = static_cast<uint32_t>(strtoul(number, nullptr, 10));
    if (spank_get_item(spank, S_JOB_ARRAY_ID, &step.array) != ESPANK_SUCCESS) step.array = 0;
    if (step.array > 0) spank_get_item(spank, S_JOB_ARRAY_TASK_ID, &step.array_task);
    if (step.array_task >= kNoTask) step.array = 0;  // Slurm calls every job an array of its own
    if (!step.batch && is_of_every_job(spank) && spank_getenv(spank, "CLEARWAY_JOB", job, sizeof job) == ESPANK_SUCCESS)
        step.launch = clearway::slurm::launch_in(job, step.job);
    return true;
}

void choose_place(const Step& step) {
    state.name = name_of(step);
    state.batch = step.batch;
    state.joins = step.launch > 0;
    Step around = step;
    around.batch = true;
    around.launch = 0;
    if (!state.joins) {
        snprintf(state.place, sizeof state.place, "%s", state.name.text);
        return;
    }
    char again[16] = "";
    if (step.restarts > 0) snprintf(again, sizeof again, "-%u", step.restarts + 1);
    snprintf(state.place, sizeof state.place, "%s/%s%u%s", name_of(around).text, clearway::slurm::kLaunch + 1,
             step.launch, again);
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

// The user's, directly below the spool. -1, and says why, where it cannot be made.
int make_folder(const char* name) {
    if (mkdirat(state.spool, name, 0700) != 0 && errno != EEXIST) {
        say("this job runs unrecorded: cannot make %s/%s: %s", settings.spool, name, strerror(errno));
        return -1;
    }
    const int fd = openat(state.spool, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fchown(fd, state.user, state.group) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

// With a lock, without which a step that ends here takes it for left over. Of several mpiruns on a node each has a
// shared one; where the batch script runs, that has one. -1, and says why, where it cannot be made.
int make_locked(const char* name, int lock) {
    for (int tries = 0;; ++tries) {
        const int fd = make_folder(name);
        if (fd < 0) return -1;
        const bool is_locked = flock(fd, lock | LOCK_NB) == 0;
        struct stat status;
        const bool is_there = fstat(fd, &status) == 0 && status.st_nlink > 0;
        if (is_there && (is_locked || (lock == LOCK_SH && tries >= kMostTries))) return fd;
        close(fd);
        if (tries >= kMostTries) return -1;
        usleep(1000);
    }
}

bool make_step_folder() {
    int& fd = state.joins ? state.around : state.lock;
    char name[sizeof state.place];
    snprintf(name, sizeof name, "%.*s", static_cast<int>(strcspn(state.place, "/")), state.place);
    fd = make_locked(name, state.joins ? LOCK_SH : LOCK_EX);
    return fd >= 0;
}

// Below the batch script's folder, which is the user's: as the user. The first step that has it gathers it.
bool join_launch() {
    const char* name = strchr(state.place, '/') + 1;
    if (mkdirat(state.around, name, 0700) != 0 && errno != EEXIST) return false;
    state.lock = openat(state.around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (state.lock >= 0 && flock(state.lock, LOCK_EX | LOCK_NB) != 0) {
        close(state.lock);
        state.lock = -1;
    }
    return true;
}

// Of a node where the batch script does not run, when the last of its mpiruns has ended there.
void leave_launch() {
    char around[sizeof state.place];
    snprintf(around, sizeof around, "%.*s", static_cast<int>(strcspn(state.place, "/")), state.place);
    if (flock(state.around, LOCK_EX | LOCK_NB) == 0) {
        unlinkat(state.spool, state.place, AT_REMOVEDIR);
        unlinkat(state.spool, around, AT_REMOVEDIR);
    }
    close(state.around);
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

// True when nothing of the step is left in its place of the spool. `name`: its Run's; of a batch script its own.
bool gather(const char* place, const char* name, const Owner& owner) {
    const bool is_launch = strchr(place, '/') != nullptr;  // whose number must not be given again: leave_launch()
    if (!is_launch && (unlinkat(state.spool, place, AT_REMOVEDIR) == 0 || errno == ENOENT)) return true;  // empty
    char spool[PATH_MAX], folder[PATH_MAX], run[PATH_MAX + 128];
    if (!find_folder(owner.user, folder, sizeof folder)) return false;
    snprintf(spool, sizeof spool, "%s/%s", settings.spool, place);
    snprintf(run, sizeof run, "%s/%s", folder, name);
    if (strstr(name, clearway::slurm::kBatch) != nullptr)
        run_as(owner, "gather-launches", spool, run);
    else
        run_as(owner, "gather", spool, run, strcmp(place, state.place) == 0 ? state.killed : "");
    return !is_launch && unlinkat(state.spool, place, AT_REMOVEDIR) == 0;
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
            if (!gather(entry->d_name, entry->d_name, owner) && time(nullptr) - status.st_mtime > kKept_s) {
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

// Records are gathered by each node for itself: nobody would see that they are in as many folders.
void say_not_shared(spank_t spank, const char* folder) {
    char mark[PATH_MAX + 64], host[HOST_NAME_MAX + 1] = "";
    if (spank_getenv(spank, kFolderMark, mark, sizeof mark) != ESPANK_SUCCESS ||
        !clearway::slurm::is_another_folder(mark))
        return;
    gethostname(host, sizeof host - 1);
    say("%s does not share %s with the node where srun was started: the records of its ranks stay on %s", host, folder,
        host);
}

// Of the batch script around a step: its own settings follow, or none.
void take_back(spank_t spank) {
    char preloaded[4096], kept[sizeof preloaded] = "";
    const char* const ours[] = {"CLEARWAY_DIR", "CLEARWAY_JOB", "CLEARWAY_BATCH", "CLEARWAY_EVERY_JOB"};
    for (const char* name : ours) spank_unsetenv(spank, name);
    if (spank_getenv(spank, "LD_PRELOAD", preloaded, sizeof preloaded) != ESPANK_SUCCESS) return;
    char* rest = nullptr;
    for (const char* entry = strtok_r(preloaded, ": ", &rest); entry != nullptr;
         entry = strtok_r(nullptr, ": ", &rest)) {
        if (strcmp(entry, kLibrary) == 0) continue;
        if (kept[0] != '\0') strcat(kept, ":");
        strcat(kept, entry);
    }
    if (kept[0] != '\0')
        spank_setenv(spank, "LD_PRELOAD", kept, 1);
    else
        spank_unsetenv(spank, "LD_PRELOAD");
}

// What a process cannot record of itself. A shell around a program ends with 128 and the signal's number.
void note_signal(spank_t spank) {
    int status = 0;
    pid_t pid = 0;
    uint32_t rank = 0;
    if (spank_get_item(spank, S_TASK_EXIT_STATUS, &status) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_TASK_PID, &pid) != ESPANK_SUCCESS)
        return;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : code > kBySignal ? code - kBySignal : 0;
    const bool known = state.is_rank && spank_get_item(spank, S_TASK_GLOBAL_ID, &rank) == ESPANK_SUCCESS;
    const size_t length = strlen(state.killed);
    if (signal <= 0 || signal > kMostSignal || length + 40 > sizeof state.killed) return;
    snprintf(state.killed + length, sizeof state.killed - length, "%d:%d:%d,", known ? static_cast<int>(rank) : -1, pid,
             signal);
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
    choose_place(step);
    uint32_t component = 0;
    state.is_rank = !find_component(spank, 0, component);
    state.spool = open_spool();
    state.records = state.spool >= 0 && has_room(state.spool, state.tasks) && make_step_folder();
    return 0;
}

// In srun, where it was typed.
int slurm_spank_local_user_init(spank_t, int, char**) {
    char folder[PATH_MAX], mark[PATH_MAX + 64];
    unsetenv(kFolderMark);
    if (settings.wanted && find_folder(getuid(), folder, sizeof folder) &&
        clearway::slurm::describe_folder(folder, mark, sizeof mark))
        setenv(kFolderMark, mark, 1);
    return 0;
}

// As the user, before any task: what is said here is on the user's standard error.
int slurm_spank_user_init(spank_t spank, int, char**) {
    char folder[PATH_MAX];
    uint32_t node = 0;
    if (!state.records) return 0;
    spank_get_item(spank, S_JOB_NODEID, &node);
    if (find_folder(state.user, folder, sizeof folder) && may_be_made(folder)) {
        if (state.joins) state.records = join_launch();
        if (node < kMostWhoSay) say_not_shared(spank, folder);
        return 0;
    }
    state.records = false;
    if (node == 0) say("this job runs unrecorded: you may not write to %s", folder);
    return 0;
}

int slurm_spank_task_init(spank_t spank, int, char**) {
    spank_unsetenv(spank, kFolderMark);
    if (is_of_every_job(spank)) take_back(spank);
    if (!state.records || is_recorded_already(spank) || !is_reached(spank)) return 0;
    char folder[PATH_MAX], job[128], preloaded[4096] = "", libraries[sizeof kLibrary + sizeof preloaded];
    snprintf(folder, sizeof folder, "%s/%s", settings.spool, state.place);
    snprintf(job, sizeof job, "slurm-%s", state.name.text);
    spank_getenv(spank, "LD_PRELOAD", preloaded, sizeof preloaded);
    snprintf(libraries, sizeof libraries, "%s%s%s", kLibrary, preloaded[0] != '\0' ? ":" : "", preloaded);
    if (state.batch) {
        spank_setenv(spank, "CLEARWAY_BATCH", folder, 1);
    } else {
        spank_setenv(spank, "CLEARWAY_DIR", folder, 1);
        spank_setenv(spank, "CLEARWAY_JOB", job, 1);
    }
    spank_setenv(spank, "CLEARWAY_EVERY_JOB", "1", 1);  // what nobody asked for in person stays out of containers
    spank_setenv(spank, "LD_PRELOAD", libraries, 1);
    return 0;
}

// Before srun hears of it, so that the Run is there when srun returns.
int slurm_spank_task_exit(spank_t spank, int, char**) {
    if (state.records && !state.batch && !state.joins) note_signal(spank);
    if (state.spool >= 0 && state.lock >= 0 && ++state.ended == state.tasks)
        gather(state.place, state.name.text, own());
    return 0;
}

int slurm_spank_exit(spank_t, int, char**) {
    if (spank_context() != S_CTX_REMOTE || state.spool < 0) return 0;
    if (state.lock >= 0) {
        gather(state.place, state.name.text, own());
        close(state.lock);
    }
    if (state.around >= 0) leave_launch();
    gather_left_overs();
    close(state.spool);
    return 0;
}

}  // extern "C"
