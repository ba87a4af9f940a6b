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
// What is left of a step whose node died, or whose gathering was killed, is gathered with a later one.
//
// Here are Slurm's entry points and what the tasks get into their environment.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
#include "slurm/plugin/gathering.hpp"
#include "slurm/plugin/killed.hpp"
#include "slurm/plugin/same_folder.hpp"
#include "slurm/plugin/settings.hpp"
#include "slurm/plugin/step_folder.hpp"
#include "slurm/plugin/users_folder.hpp"
#include "slurm/plugin/which_step.hpp"
#include "slurm/step.hpp"

#ifndef CLEARWAY_PREFIX
#error "CLEARWAY_PREFIX: where Clearway is installed; `clearway slurm plugin` says it"
#endif

namespace {

using namespace clearway::slurm;

constexpr char kLibrary[] = CLEARWAY_PREFIX "/lib/libclearway.so", kGatherer[] = CLEARWAY_PREFIX "/bin/clearway-slurm";
constexpr char kFolderMark[] = "CLEARWAY_FOLDER_MARK";  // srun's environment, for the nodes of the step
constexpr uint32_t kMostWhoSay = 2;                     // nodes: the first may be where srun is

// Of the step that this slurmstepd runs.
struct State {
    bool records = false;
    Step step{};
    Place place{};
    StepFolder folder;
    uid_t user = 0;
    gid_t group = 0;
    gid_t* groups = nullptr;
    int group_count = 0;
    uint32_t tasks = 0, ended = 0;
    bool is_rank = false;  // each task is the rank of its number: not of a heterogeneous job, nor mpirun's daemons
    Killed killed;

    bool joins() const { return step.launch > 0; }  // an mpirun of the batch script
    Owner owner() const { return {user, group, groups, static_cast<size_t>(group_count)}; }
} state;

// Records are gathered by each node for itself: nobody would see that they are in as many folders.
void say_not_shared(spank_t spank, const char* folder) {
    char mark[PATH_MAX + 64], host[HOST_NAME_MAX + 1] = "";
    if (spank_getenv(spank, kFolderMark, mark, sizeof mark) != ESPANK_SUCCESS || !is_another_folder(mark)) return;
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

void gather_own() {
    gather(state.folder.spool, state.place.path, state.place.name.text, state.owner(), state.killed.text);
}

}  // namespace

extern "C" {

int slurm_spank_init(spank_t spank, int count, char* texts[]) {
    for (int i = 0; i < count; ++i) read_setting(texts[i]);
    const spank_context_t context = spank_context();
    if (context == S_CTX_LOCAL || context == S_CTX_REMOTE || context == S_CTX_ALLOCATOR) register_option(spank);
    return 0;
}

int slurm_spank_init_post_opt(spank_t spank, int, char**) {
    if (spank_context() != S_CTX_REMOTE || !settings.wanted || !find_step(spank, state.step) || !in_partition(spank))
        return 0;
    if (access(kLibrary, R_OK) != 0 || access(kGatherer, X_OK) != 0) {
        say("this job runs unrecorded: Clearway is not in %s on this node", CLEARWAY_PREFIX);
        return 0;
    }
    spank_get_item(spank, S_JOB_UID, &state.user);
    spank_get_item(spank, S_JOB_GID, &state.group);
    spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &state.groups, &state.group_count);
    spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &state.tasks);
    state.place = place_of(state.step);
    state.is_rank = !is_heterogeneous(spank);
    state.records = make_step_folder(state.folder, state.step, state.place, state.user, state.group, state.tasks);
    return 0;
}

// In srun, where it was typed.
int slurm_spank_local_user_init(spank_t, int, char**) {
    char folder[PATH_MAX], mark[PATH_MAX + 64];
    unsetenv(kFolderMark);
    if (settings.wanted && find_folder(getuid(), folder, sizeof folder) && describe_folder(folder, mark, sizeof mark))
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
        if (state.joins()) state.records = join_launch(state.folder, state.place);
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
    snprintf(folder, sizeof folder, "%s/%s", settings.spool, state.place.path);
    snprintf(job, sizeof job, "slurm-%s", state.place.name.text);
    spank_getenv(spank, "LD_PRELOAD", preloaded, sizeof preloaded);
    snprintf(libraries, sizeof libraries, "%s%s%s", kLibrary, preloaded[0] != '\0' ? ":" : "", preloaded);
    if (state.step.batch) {
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
    if (state.records && !state.step.batch && !state.joins()) note_signal(spank, state.is_rank, state.killed);
    if (state.folder.spool >= 0 && state.folder.lock >= 0 && ++state.ended == state.tasks) gather_own();
    return 0;
}

int slurm_spank_exit(spank_t, int, char**) {
    if (spank_context() != S_CTX_REMOTE || state.folder.spool < 0) return 0;
    if (state.folder.lock >= 0) {
        gather_own();
        close(state.folder.lock);
    }
    leave_launch(state.folder, state.place);
    gather_left_overs(state.folder.spool);
    close(state.folder.spool);
    return 0;
}

}  // extern "C"
