#include "slurm/plugin/which_step.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include <slurm/slurm.h>
}

namespace clearway::slurm {
namespace {

constexpr uint32_t kNoTask = 0xfffffffe;   // NO_VAL
constexpr uint32_t kMostComponents = 128;  // of a heterogeneous job: MAX_HET_JOB_COMPS

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

}  // namespace

bool find_step(spank_t spank, Step& step) {
    if (spank_get_item(spank, S_JOB_ID, &step.job) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &step.step) != ESPANK_SUCCESS)
        return false;
    step.batch = step.step == SLURM_BATCH_SCRIPT;
    if (!step.batch && step.step >= kFirstSpecialStep) return false;
    char number[16], job[128];
    step.job = first_component(spank, step.job);
    // Slurm's item of that count is the batch script's alone; its steps have the variable.
    if (spank_getenv(spank, "SLURM_RESTART_COUNT", number, sizeof number) == ESPANK_SUCCESS)
        step.restarts = static_cast<uint32_t>(strtoul(number, nullptr, 10));
    if (spank_get_item(spank, S_JOB_ARRAY_ID, &step.array) != ESPANK_SUCCESS) step.array = 0;
    if (step.array > 0) spank_get_item(spank, S_JOB_ARRAY_TASK_ID, &step.array_task);
    if (step.array_task >= kNoTask) step.array = 0;  // Slurm calls every job an array of its own
    if (!step.batch && is_of_every_job(spank) && spank_getenv(spank, "CLEARWAY_JOB", job, sizeof job) == ESPANK_SUCCESS)
        step.launch = launch_in(job, step.job);
    return true;
}

Place place_of(const Step& step) {
    Place place{name_of(step), ""};
    if (step.launch == 0) {
        snprintf(place.path, sizeof place.path, "%s", place.name.text);
        return place;
    }
    Step around = step;
    around.batch = true;
    around.launch = 0;
    char again[16] = "";
    if (step.restarts > 0) snprintf(again, sizeof again, "-%u", step.restarts + 1);
    snprintf(place.path, sizeof place.path, "%s/%s%u%s", name_of(around).text, kLaunch + 1, step.launch, again);
    return place;
}

StepName outermost(const char* path) {
    StepName name;
    snprintf(name.text, sizeof name.text, "%.*s", static_cast<int>(strcspn(path, "/")), path);
    return name;
}

bool is_heterogeneous(spank_t spank) {
    uint32_t component = 0;
    return find_component(spank, 0, component);
}

bool is_of_every_job(spank_t spank) {
    char text[8];
    return spank_getenv(spank, "CLEARWAY_EVERY_JOB", text, sizeof text) == ESPANK_SUCCESS;
}

}  // namespace clearway::slurm
