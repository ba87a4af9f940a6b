#include "workload/runner/options.hpp"

#include <string_view>

namespace clearway::workload {

namespace {

using command_line::Parsed;
using command_line::quoted;

constexpr std::string_view kHead =
    "usage: mpirun -np N clearway-workload SCRIPT [OPTIONS]\n"
    "\n"
    "Does over MPI what each rank of a Script does: messages of real size, whose contents are checked, and busy cores\n"
    "in place of computing. `clearway workload show NAME --script SCRIPT` writes one; the file is read by rank 0.\n"
    "\n";

command_line::Program program_of(Options& options) {
    return {.name = "clearway-workload",
            .complains_as = "clearway-workload",
            .head = kHead,
            .column = 26,
            .options = {{"--steps", "N", "time steps (default: as the Script says)",
                         command_line::number(options.steps, 1, 1'000'000'000)},
                        {"--scale", "F", "computing takes F times what the Script says (default 1; 0: none)",
                         command_line::number(options.scale, 0.0, 1e6)},
                        {"--check", "", "only say whether the Script makes sense; without MPI",
                         command_line::flag(options.only_check)},
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
