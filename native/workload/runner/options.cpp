#include "workload/runner/options.hpp"

#include <string_view>

namespace clearway::workload {

namespace {

using command_line::Parsed;
using command_line::quoted;

constexpr std::string_view kHead =
    "usage: mpirun -np N clearway-workload SCRIPT [OPTIONS]\n"
    "\n"
    "Runs a Script over MPI: each rank sends messages of real size, whose contents are checked, and keeps a core busy\n"
    "instead of computing. `clearway workload show NAME --script SCRIPT` writes one; rank 0 reads the file.\n"
    "\n";

command_line::Program program_of(Options& options) {
    return {.name = "clearway-workload",
            .complains_as = "clearway-workload",
            .head = kHead,
            .column = 26,
            .options = {{"--steps", "N", "time steps (default: from the Script)",
                         command_line::number(options.steps, 1, 1'000'000'000)},
                        {"--scale", "F", "computing takes F times as long as in the Script (default 1; 0: none)",
                         command_line::number(options.scale, 0.0, 1e6)},
                        {"--check", "", "only check the Script, without MPI", command_line::flag(options.only_check)},
                        {"--mpi-library", "PATH", "the MPI to load (default: from the launcher's environment)",
                         command_line::text(options.mpi_library)}},
            .take_word = [&options](std::string_view word) -> std::string {
                if (!options.script.empty()) return "two Scripts: " + quoted(options.script) + " and " + quoted(word);
                options.script = word;
                return "";
            }};
}

}  // namespace

Parsed parse_options(char** arguments, Options& options) {
    const command_line::Program program = program_of(options);
    const Parsed parsed = parse(arguments, program);
    return parsed == Parsed::run && options.script.empty() ? complain(program, "no Script given") : parsed;
}

}  // namespace clearway::workload
