#include "bench/options.hpp"

#include <string_view>

namespace clearway::bench {

namespace {

using command_line::number;
using command_line::Parsed;

constexpr std::string_view kHead =
    "usage: mpirun -np N clearway-bench OPERATION [OPTIONS]\n"
    "\n"
    "Times a collective operation and prints the results as JSON, one line per point. `clearway bench` starts it,\n"
    "and makes tables and plots of the lines. OPERATION: alltoall, alltoallv, alltoallw, allgather, allgatherv.\n"
    "\n";

struct Given {
    bool operation = false;
    std::vector<std::string> candidates;
    std::uint64_t budget_ms = 20'000;
};

command_line::Program program_of(Options& options, Given& given) {
    const auto add_candidate = [&given](std::string_view text) { return given.candidates.emplace_back(text), true; };
    const auto set_grid = [&options](std::string_view text) { return to_grid(text, options.grid); };
    return {
        .name = "clearway-bench",
        .complains_as = "clearway-bench",
        .head = kHead,
        .column = 26,
        .options = {{"--sizes", "N,...", "block sizes in bytes, in the order in which to measure them",
                     command_line::numbers<std::uint64_t>(options.block_bytes, 1)},
                    {"--grid", "XxYxZ", "the block size of PME on this grid, for the job's number of ranks", set_grid},
                    {"--candidate", "TEXT",
                     "what to measure (may be repeated): own (default), flow, or an algorithm of the flow\n"
                     "library, such as pairwise+token:12000,chunk:8000",
                     add_candidate},
                    {"--calls", "N", "timed calls of a point (default 25)", number(options.calls, 1U)},
                    {"--least-calls", "N", "timed calls of a point even if they exceed its budget (default 3)",
                     number(options.least_calls, 1U)},
                    {"--warm-up-calls", "N",
                     "calls before the timed ones, after a first one whose result is checked (default 4)",
                     number(options.warm_up_calls)},
                    {"--learning-calls", "N", "calls before the timed ones in which flow learns (default 40)",
                     number(options.learning_calls)},
                    {"--budget-ms", "N",
                     "time for the timed calls of a point (default 20000), and for flow to learn before",
                     number<std::uint64_t>(given.budget_ms, 1)},
                    {"--interleave", "", "candidates take turns call by call", command_line::flag(options.interleave)},
                    {"--mpi-library", "PATH", "the MPI to load (default: from the launcher's environment)",
                     command_line::text(options.mpi_library)},
                    {"--flow-library", "PATH", "preload the flow library", command_line::text(options.flow_library)}},
        .take_word = [&](std::string_view word) -> std::string {
            if (given.operation) return "unknown option " + command_line::quoted(word);
            given.operation = to_operation(word, options.operation);
            return given.operation ? "" : "there is no operation " + command_line::quoted(word);
        }};
}

}  // namespace

Parsed parse_options(char** arguments, Options& options) {
    constexpr std::uint64_t kNsPerMs = 1'000'000;
    Given given;
    const command_line::Program program = program_of(options, given);
    if (const Parsed parsed = parse(arguments, program); parsed != Parsed::run) return parsed;
    if (!given.operation) return complain(program, "no operation given");
    if (!given.candidates.empty()) options.candidates = given.candidates;
    options.budget_ns = given.budget_ms * kNsPerMs;
    if (options.block_bytes.empty() && options.grid.x == 0)
        return complain(program, "no sizes given: --sizes 1024,65536");
    return Parsed::run;
}

}  // namespace clearway::bench
