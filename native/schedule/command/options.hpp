// The command line of clearway-schedule.
#pragma once

#include "schedule/algorithms.hpp"

namespace clearway::schedule {

struct Options {
    const Algorithm* algorithm = nullptr;
    Problem problem;
    Separation separation;
    bool with_messages = false;
    bool with_check = false;
};

enum class Parsed { list, make, done, wrong };

// What is wrong is told on stderr.
Parsed parse_options(char** arguments, Options& options);

}  // namespace clearway::schedule
