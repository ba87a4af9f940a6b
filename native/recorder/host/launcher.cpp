// The job's own launcher above this process: mpirun, its daemons and proxies, as far up as the parents go. Its CPU time
// is the job's, and where a batch system started it, the processors that it may use are what the job was granted.
#include <unistd.h>

#include <algorithm>
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

// What the names of such processes begin with; the kernel keeps 15 characters of a name.
constexpr const char* kLaunchers[] = {"mpirun",  "mpiexec", "orterun",  "orted",      "prte",    "hydra_",
                                      "pmi_pro", "srun",    "charmrun", "slurmstepd", "clearway"};
constexpr const char kBatchDaemon[] = "slurmstepd";  // is not bound to what it grants

template <class Visit>
void for_each_launcher(Visit visit) {
    ProcessStat ancestor;
    long pid = getppid();
    for (int level = 0; level < kMostLevels && pid > 1 && read_process_stat(pid, ancestor); ++level) {
        if (is_launcher(ancestor.name)) visit(ancestor);
        pid = ancestor.parent_pid;
    }
}

// The first of these variables that holds a number.
template <std::size_t N>
void describe_number(const char* fact, const char* const (&variables)[N]) {
    for (const char* variable : variables) {
        const char* number = std::getenv(variable);
        if (number == nullptr || *number == '\0' || std::strspn(number, "0123456789") != std::strlen(number)) continue;
        add_fact(fact, number);
        return;
    }
}

// Which rank this is to become, and of how many. MPI_Init tells the same, but only those that come to it.
void describe_launched_rank() {
    describe_number("process.launched_rank", {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID",
                                              "PALS_RANKID", "MV2_COMM_WORLD_RANK"});
    describe_number("process.launched_size",
                    {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "MV2_COMM_WORLD_SIZE"});
    if (const char* launch = std::getenv("PMIX_NAMESPACE"); launch != nullptr) add_fact("process.launch", launch);
}

}  // namespace

bool is_launcher(const char* name) {
    return std::any_of(std::begin(kLaunchers), std::end(kLaunchers),
                       [name](const char* known) { return std::strncmp(name, known, std::strlen(known)) == 0; });
}

void describe_launcher() {
    describe_launched_rank();
    bool told = false;
    for_each_launcher([&told](const ProcessStat& ancestor) {
        if (told || std::strcmp(ancestor.name, kBatchDaemon) == 0) return;
        char path[64], text[4096];
        std::snprintf(path, sizeof path, "/proc/%ld/status", ancestor.pid);
        if (!read_text(path, text, sizeof text)) return;
        char* list = std::strstr(text, "\nCpus_allowed_list:");
        if (list == nullptr) return;
        list += std::strlen("\nCpus_allowed_list:");
        list += std::strspn(list, " \t");
        list[std::strcspn(list, "\n")] = '\0';
        add_fact("process.launcher_cpus", list);
        told = true;
    });
}

void sample_launcher(CounterSet& counters) {
    const auto ms_per_tick = static_cast<std::uint64_t>(1000 / std::max(1L, sysconf(_SC_CLK_TCK)));
    for_each_launcher([&](const ProcessStat& ancestor) {
        char name[32];
        std::snprintf(name, sizeof name, "%ld.cpu_ms", ancestor.pid);
        counters.set("launcher", name, ancestor.cpu_ticks * ms_per_tick);
    });
}

}  // namespace clearway::recorder
