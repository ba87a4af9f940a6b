// The command line of clearway-bench.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/collective_call.hpp"
#include "bench/grid.hpp"
#include "command_line/options.hpp"

namespace clearway::bench {

struct Options {
    schedule::Operation operation = schedule::Operation::alltoall;
    std::vector<std::uint64_t> block_bytes;
    Grid grid;  // adds one more size, which depends on the number of ranks
    std::vector<std::string> candidates = {"own"};
    std::uint32_t calls = 25;
    std::uint32_t least_calls = 3;      // even where they outlast the budget
    std::uint32_t warm_up_calls = 4;    // behind the first, whose result is checked; as many of slow ones
    std::uint32_t learning_calls = 40;  // more of them for a candidate that may still be trying, within the budget
    std::uint64_t budget_ns = 20'000'000'000;  // for the timed calls of one point
    bool interleave = false;                   // candidates take turns call by call
    std::string mpi_library;                   // empty: chosen from the launcher's environment
    std::string flow_library;                  // empty: only the MPI's own algorithm, unless it is preloaded
};

// Says what is wrong on stderr.
command_line::Parsed parse_options(char** arguments, Options& options);

}  // namespace clearway::bench
