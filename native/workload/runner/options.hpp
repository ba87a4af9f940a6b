// The command line of clearway-workload.
#pragma once

#include <cstdint>
#include <string>

namespace clearway::workload {

struct Options {
    std::string script;  // its file
    int steps = 0;       // 0: as many as the Script says
    double scale = 1;    // of computing times
    bool only_check = false;
    std::string mpi_library;  // empty: chosen from the launcher's environment
};

enum class Parsed : std::uint8_t { run, done, wrong };

// Says what is wrong on stderr.
Parsed parse_options(char** arguments, Options& options);

}  // namespace clearway::workload
