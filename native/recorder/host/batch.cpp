// The batch system's job, as its variables tell: facts "batch.NAME" of the host file, once a host and not once a rank.
//
// Whole names only: an environment may hold secrets. What they mean is said in python/clearway/job/batch.py, which has
// the same names; a test compares the two lists.
#include <cstdlib>

#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr char kPrefix[] = "batch";

constexpr const char* kVariables[] = {
    // Slurm: sbatch(1), srun(1)
    "SLURM_JOB_ID",
    "SLURM_STEP_ID",
    "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_TASK_ID",
    "SLURM_HET_SIZE",
    "SLURM_RESTART_COUNT",
    "SLURM_JOB_NAME",
    "SLURM_JOB_PARTITION",
    "SLURM_JOB_ACCOUNT",
    "SLURM_JOB_QOS",
    "SLURM_JOB_NUM_NODES",
    "SLURM_JOB_NODELIST",
    "SLURM_JOB_CPUS_PER_NODE",
    "SLURM_JOB_CONSTRAINTS",
    "SLURM_JOB_START_TIME",
    "SLURM_JOB_END_TIME",
    "SLURM_NTASKS",
    "SLURM_STEP_NUM_NODES",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_STEP_NODELIST",
    "SLURM_CPUS_PER_TASK",
    "SLURM_MEM_PER_NODE",
    "SLURM_MEM_PER_CPU",
    "SLURM_CPU_BIND",
    "SLURM_DISTRIBUTION",
    "SLURM_CLUSTER_NAME",
    "SLURM_TOPOLOGY_ADDR",
    // PBS Pro and OpenPBS: qsub(1B)
    "PBS_JOBID",
    "PBS_JOBNAME",
    "PBS_QUEUE",
    "PBS_ACCOUNT",
    "PBS_ARRAY_INDEX",
    "NCPUS",
    // LSF: environment variables set for job execution
    "LSB_JOBID",
    "LSB_JOBINDEX",
    "LSB_JOBNAME",
    "LSB_QUEUE",
    "LSB_PROJECT_NAME",
    "LSB_DJOB_NUMPROC",
    "LSB_DJOB_NUMHOSTS",
    // Grid Engine: qsub(1)
    "SGE_TASK_ID",
    "SGE_ACCOUNT",
    "JOB_ID",
    "JOB_NAME",
    "QUEUE",
    "NSLOTS",
    "NHOSTS",
    "RESTARTED",
    // Flux: flux-environment(7)
    "FLUX_JOB_ID",
    "FLUX_JOB_CC",
    "FLUX_JOB_SIZE",
    "FLUX_JOB_NNODES",
};

bool in_batch() {
    for (const char* identity : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "SGE_TASK_ID", "FLUX_JOB_ID"})
        if (std::getenv(identity) != nullptr) return true;
    return false;
}

}  // namespace

void describe_batch() {
    if (!in_batch()) return;  // JOB_ID, QUEUE and NCPUS are anybody's
    for (const char* variable : kVariables) {
        const char* value = std::getenv(variable);
        if (value == nullptr || *value == '\0') continue;
        char name[sizeof Fact::name];
        dotted(name, kPrefix, variable);
        add_host_fact(name, value);
    }
}

}  // namespace clearway::recorder
