#include "launcher/job_identity.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/hash.hpp"
#include "base/host.hpp"
#include "base/process_stat.hpp"
#include "base/small_file.hpp"

namespace clearway::launcher {
namespace {

// What makes a job one of its kind is text of any length; the token is its FNV-1a hash.
struct Identity {
    std::uint64_t hash = kFnvBasis;

    Identity& add(const char* text) {
        hash = fnv1a(text, hash) * kFnvPrime;  // so that "a","bc" differs from "ab","c"
        return *this;
    }
    JobToken token() const {
        JobToken token{};
        std::snprintf(token.text, sizeof token.text, "%016llx", static_cast<unsigned long long>(hash));
        return token;
    }
};

// A job as its launcher names it. All of a row's variables must be set, but for the last, which adds to the
// identity where it is. Order matters: an Open MPI job inside a Slurm allocation has Slurm's variables too.
struct LauncherName {
    const char* variable;
    const char* second;
    const char* optional;
};
constexpr LauncherName kLauncherNames[] = {
    {"PMIX_NAMESPACE", nullptr, "OMPI_MCA_orte_precondition_transports"},  // Open MPI 4: a hash of a pid alone
    {"I_MPI_HYDRA_UUID", nullptr, nullptr},                                // Intel MPI
};
constexpr LauncherName kSchedulerNames[] = {
    {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_CLUSTER_NAME"},
    {"PALS_APID", nullptr, nullptr},  // HPE Cray
    {"FLUX_JOB_ID", nullptr, nullptr},
};

// Slurm gives a requeued job its number again, and its steps theirs. (An Open MPI job inside an allocation has a name
// of its own, and Slurm's variables on some of its hosts only.)
bool is_slurms(const char* variable, const char* name) {
    return std::strncmp(variable, "SLURM_", 6) == 0 || std::strncmp(name, "slurm.", 6) == 0;
}

void add_restart(Identity& identity) {
    if (const char* restarts = std::getenv("SLURM_RESTART_COUNT")) identity.add(restarts);
}

template <std::size_t n>
bool add_name(const LauncherName (&names)[n], Identity& identity) {
    for (const LauncherName& name : names) {
        const char* first = std::getenv(name.variable);
        const char* second = name.second != nullptr ? std::getenv(name.second) : "";
        if (first == nullptr || second == nullptr) continue;
        identity.add(name.variable).add(first).add(second);
        if (is_slurms(name.variable, first)) add_restart(identity);
        if (name.optional != nullptr) {
            if (const char* more = std::getenv(name.optional)) identity.add(more);
        }
        return true;
    }
    return false;
}

// The NUL-separated arguments of a process, ending in NUL. Returns their bytes, 0 or less where they cannot be read.
template <std::size_t n>
long read_command_line(long pid, char (&arguments)[n]) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
    return read_small_file(path, arguments, n);
}

// MPICH's Hydra names the job nowhere, but its proxy on each host was told where mpiexec listens: host:port.
bool add_hydra_control_port(Identity& identity) {
    char command[4096];
    ProcessStat process;
    for (long pid = getppid(); pid > 1; pid = process.parent_pid) {
        read_process_stat(pid, process);
        const long bytes = read_command_line(pid, command);
        for (long at = 0; at < bytes; at += static_cast<long>(std::strlen(command + at)) + 1) {
            if (std::strcmp(command + at, "--control-port") != 0) continue;
            identity.add(command + at + std::strlen("--control-port") + 1);
            return true;
        }
    }
    return false;
}

void add_process(Identity& identity, long pid) {
    ProcessStat process;
    read_process_stat(pid, process);
    char text[320], host[256];
    host_name(host);
    std::snprintf(text, sizeof text, "%ld %llu %s", pid, static_cast<unsigned long long>(process.start_ticks), host);
    identity.add(text);
}

bool is_mpi_rank() {
    static constexpr const char* kRankVariables[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PALS_RANKID",
                                                     "MV2_COMM_WORLD_RANK"};
    for (const char* variable : kRankVariables) {
        if (std::getenv(variable) != nullptr) return true;
    }
    return false;
}

// As the launcher says it, or null.
const char* own_rank() {
    static constexpr const char* kRankVariables[] = {"PMIX_RANK",    "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                                     "SLURM_PROCID", "PALS_RANKID",          "MV2_COMM_WORLD_RANK"};
    for (const char* variable : kRankVariables) {
        if (const char* rank = std::getenv(variable)) return rank;
    }
    return nullptr;
}

}  // namespace

JobToken find_job_token() {
    Identity identity;
    if (add_name(kLauncherNames, identity) || add_hydra_control_port(identity) || add_name(kSchedulerNames, identity))
        return identity.token();
    // An unknown launcher is the parent of its ranks; without one this process is the job.
    add_process(identity, is_mpi_rank() ? getppid() : getpid());
    return identity.token();
}

bool has_rank() { return own_rank() != nullptr; }

bool speaks_for_job() {
    const char* rank = own_rank();
    return rank == nullptr || std::strcmp(rank, "0") == 0;
}

bool speaks_for_host() {
    static constexpr const char* kLocalRankVariables[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                                          "SLURM_LOCALID", "PALS_LOCAL_RANKID"};
    for (const char* variable : kLocalRankVariables) {
        if (const char* rank = std::getenv(variable)) return std::strcmp(rank, "0") == 0;
    }
    return true;
}

}  // namespace clearway::launcher
