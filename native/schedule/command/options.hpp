// The command line of clearway-schedule.
#pragma once

#include "command_line/options.hpp"
#include "schedule/algorithms.hpp"

namespace clearway::schedule {

struct Options {
    bool lists = false;  // the algorithms; nothing else counts
    const Algorithm* algorithm = nullptr;
    Problem problem;
    Separation separation;
    bool with_messages = false;
    bool with_check = false;
};

// What is wrong is told on stderr.
command_line::Parsed parse_options(char** arguments, Options& options);

}  // namespace clearway::schedule
