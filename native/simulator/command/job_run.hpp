// Simulates a job, leaves its Run, and prints its figures as JSON.
#pragma once

#include <string>

#include "simulator/workload/job.hpp"

namespace clearway::simulator {

// Returns the exit status; what is wrong is told on stderr. `run` may be empty.
int simulate_job(const JobScenario& scenario, const std::string& run);

}  // namespace clearway::simulator
