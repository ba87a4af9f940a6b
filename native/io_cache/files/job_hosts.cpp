#include "io_cache/files/job_hosts.hpp"

#include <cstdlib>
#include <cstring>

namespace clearway::io_cache {

namespace {

struct Sizes {
    const char* of_job;
    const char* of_host;
};

// Open MPI, PRRTE under it; MPICH's and Intel's Hydra; HPE's PALS.
constexpr Sizes kSizes[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                            {"PMI_SIZE", "MPI_LOCALNRANKS"},
                            {"PALS_SIZE", "PALS_LOCAL_SIZE"}};

}  // namespace

bool job_has_one_host() {
    if (const char* nodes = std::getenv("SLURM_STEP_NUM_NODES")) return std::strcmp(nodes, "1") == 0;
    for (const Sizes& sizes : kSizes) {
        const char* all = std::getenv(sizes.of_job);
        const char* here = std::getenv(sizes.of_host);
        if (all != nullptr) return here != nullptr && std::strcmp(all, here) == 0;
    }
    return std::getenv("PMIX_NAMESPACE") == nullptr;
}

unsigned local_ranks() {
    for (const Sizes& sizes : kSizes) {
        const char* here = std::getenv(sizes.of_host);
        const long ranks = here != nullptr ? std::strtol(here, nullptr, 10) : 0;
        if (ranks > 0) return static_cast<unsigned>(ranks);
    }
    return 1;
}

}  // namespace clearway::io_cache
