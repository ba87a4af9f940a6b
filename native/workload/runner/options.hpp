// The command line of clearway-workload.
#pragma once

#include <string>

#include "command_line/options.hpp"

namespace clearway::workload {

struct Options {
    std::string script;  // its file
    int steps = 0;       // 0: as many as the Script says
    double scale = 1;    // of computing times
    bool only_check = false;
    std::string mpi_library;  // empty: chosen from the launcher's environment
};

// Says what is wrong on stderr.
command_line::Parsed parse_options(char** arguments, Options& options);

}  // namespace clearway::workload
