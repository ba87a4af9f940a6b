// The variables of this process's environment that decide about its speed, as facts "environment.NAME".
//
// Named families only: an environment may hold secrets. What a launcher sets for its own ends is left out, so that
// what is recorded was set by the user, the site, or by the launcher in the user's name (Open MPI's --mca).
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/text.hpp"
#include "recorder/host/sources.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr int kMostVariables = 64;
constexpr char kPrefix[] = "environment";

// Families of names, and whole names ("TMPDIR="): what a "NAME=value" begins with.
constexpr const char* kDecideAboutSpeed[] = {
    "OMPI_MCA_",
    "PRTE_MCA_",
    "PMIX_MCA_",
    "UCX_",
    "FI_",
    "I_MPI_",
    "MPICH_",
    "MPIR_CVAR_",
    "HYDRA_",
    "OMP_",
    "GOMP_",
    "KMP_",
    "GMX_",
    "MALLOC_",
    "_RJEM_MALLOC_CONF=",
    "TCMALLOC_",
    "MIMALLOC_",
    "GFORTRAN_UNBUFFERED_",
    "FORT_BUFFERED=",
    "CLEARWAY_",
    "GLIBC_TUNABLES=",
    "PYTHONDEVMODE=",
    "PYTHONDONTWRITEBYTECODE=",
    "PYTHONMALLOC=",
    "PYTHONTRACEMALLOC=",
    "PYTHONUNBUFFERED=",
    "TMPDIR=",
    "MKL_NUM_THREADS=",
    "OPENBLAS_NUM_THREADS=",
    "OPENBLAS_CORETYPE=",
    "GOTO_NUM_THREADS=",
    "BLIS_NUM_THREADS=",
    "LD_PRELOAD=",
    "SLURM_CPU_BIND",
    "SLURM_DISTRIBUTION=",
    "SLURM_NTASKS=",
    "SLURM_CPUS_ON_NODE=",
    "SLURM_JOB_CPUS_PER_NODE=",
    "SLURM_CPUS_PER_TASK=",
    "SLURM_JOB_ID=",
    "PBS_JOBID=",
    "LSB_JOBID=",
    "SCM_IOBUFFERSIZE=",
};

// Of mpirun to its ranks (Open MPI 4 and 5): addresses of daemons, session directories, and a key.
constexpr const char* kOfTheLauncher[] = {
    "OMPI_MCA_orte_",        "OMPI_MCA_ess",  "OMPI_MCA_pmix",
    "OMPI_MCA_initial_wdir", "PRTE_MCA_ess",  "PMIX_MCA_mca_base_component_show_load_errors",
    "PRTE_MCA_prte_",        "PRTE_MCA_plm_", "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
};

// Whatever family it is of, a name like this may belong to a secret.
constexpr const char* kSecret[] = {"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH"};

template <std::size_t count>
bool begins_with_any(const char* variable, const char* const (&beginnings)[count]) {
    return std::any_of(std::begin(beginnings), std::end(beginnings), [variable](const char* beginning) {
        return std::strncmp(variable, beginning, std::strlen(beginning)) == 0;
    });
}

bool may_be_secret(const char* name) {
    return std::any_of(std::begin(kSecret), std::end(kSecret),
                       [name](const char* word) { return strcasestr(name, word) != nullptr; });
}

// Says whether it was recorded.
bool record(const char* variable) {
    const char* equals = std::strchr(variable, '=');
    if (equals == nullptr || !begins_with_any(variable, kDecideAboutSpeed) || begins_with_any(variable, kOfTheLauncher))
        return false;
    const auto length = static_cast<std::size_t>(equals - variable);
    char name[sizeof Fact::name] = {}, whole[sizeof name];
    if (sizeof kPrefix + length >= sizeof whole) return false;  // a name that is cut names another variable
    std::memcpy(name, variable, length);
    if (may_be_secret(name)) return false;
    dotted(whole, kPrefix, name);
    add_fact(whole, equals + 1);
    return true;
}

}  // namespace

void describe_environment() {
    int recorded = 0;
    for (char** variable = environ; variable != nullptr && *variable != nullptr && recorded < kMostVariables;
         ++variable)
        if (record(*variable)) ++recorded;
}

}  // namespace clearway::recorder
