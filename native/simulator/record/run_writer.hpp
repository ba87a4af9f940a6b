// Leaves a simulated job as a Run: a directory as the recorder makes it, marked as predicted.
#pragma once

#include <string>

#include "simulator/record/call_log.hpp"
#include "simulator/record/connection_log.hpp"
#include "simulator/workload/job.hpp"

namespace clearway::simulator {

struct FinishedJob {
    const JobScenario& scenario;
    const CallLog& calls;
    ConnectionLog& connections;
    Machine& machine;
};

// Writes into `directory`, which must be there. Returns 0, or an errno.
int write_run(const std::string& directory, const FinishedJob& job);

}  // namespace clearway::simulator
