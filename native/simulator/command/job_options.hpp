// What can be asked for besides calls of one operation: a whole job, and a Run of it.
#pragma once

#include <string>

#include "simulator/workload/job.hpp"

namespace clearway::simulator {

struct JobOptions {
    std::string script;  // a file; empty: no job
    std::string run;     // a directory that is not there yet; empty: no Run
    std::string alltoall = "ordered";
    std::string alltoallv;  // empty: as alltoall
    std::string allgather = "ring";
    std::string bcast, reduce, allreduce;  // empty: as the MPI below does it
    std::string collectives = "mpich";     // whose choice of algorithms for the other operations
    std::string barrier_above = "0";       // bytes of a block
    std::string places;                    // host of each rank, "0,0,1,1"; empty: hosts are filled in order
};

// Why the job cannot be simulated, as a sentence; empty where it became the scenario. `per_host` ranks fit on a host.
std::string make_job(const JobOptions& options, std::uint32_t per_host, JobScenario& scenario);

}  // namespace clearway::simulator
