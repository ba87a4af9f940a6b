// The command line of clearway-simulate.
#pragma once

#include <optional>

#include "command_line/options.hpp"
#include "simulator/command/job_options.hpp"
#include "simulator/command/scenario_options.hpp"

namespace clearway::simulator {

struct Request {
    Scenario scenario;
    JobOptions job;
    std::optional<JobScenario> made_job;  // where one is asked for
};

// What is wrong is told on stderr.
command_line::Parsed parse_options(char** arguments, Request& request);

}  // namespace clearway::simulator
