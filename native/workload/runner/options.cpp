#include "workload/runner/options.hpp"

#include <cstdio>
#include <string_view>

#include "workload/words.hpp"

namespace clearway::workload {

namespace {

constexpr char kHelp[] =
    "usage: mpirun -np N clearway-workload SCRIPT [OPTIONS]\n"
    "\n"
    "Does over MPI what each rank of a Script does: messages of real size, whose contents are checked, and busy cores\n"
    "in place of computing. `clearway workload show NAME --script SCRIPT` writes one; the file is read by rank 0.\n"
    "\n"
    "  --steps N               time steps (default: as the Script says)\n"
    "  --scale F               computing takes F times what the Script says (default 1; 0: none)\n"
    "  --check                 only say whether the Script makes sense; without MPI\n"
    "  --mpi-library PATH      the MPI to load (default: from the launcher's environment)\n"
    "  -h, --help              print this\n"
    "  -V, --version           print the version\n";

Parsed complain(const std::string& message) {
    std::fprintf(stderr, "clearway-workload: %s\n\nhint: clearway-workload --help\n", message.c_str());
    return Parsed::wrong;
}

bool take(std::string_view option, const char* value, Options& options) {
    if (option == "--steps") return to_number<int>(value, 1, 1'000'000'000, options.steps);
    if (option == "--scale") return to_number<double>(value, 0, 1e6, options.scale);
    options.mpi_library = value;
    return true;
}

}  // namespace

Parsed parse_options(char** arguments, Options& options) {
    for (char** argument = arguments + 1; *argument != nullptr; ++argument) {
        const std::string option = *argument;
        if (option == "-h" || option == "--help") return std::fputs(kHelp, stdout), Parsed::done;
        if (option == "-V" || option == "--version")
            return std::puts("clearway-workload " CLEARWAY_VERSION), Parsed::done;
        if (option == "--check") {
            options.only_check = true;
            continue;
        }
        if (option != "--steps" && option != "--scale" && option != "--mpi-library") {
            if (option.starts_with('-')) return complain("unknown option " + quoted(option));
            if (!options.script.empty())
                return complain("two Scripts: " + quoted(options.script) + " and " + quoted(option));
            options.script = option;
            continue;
        }
        const char* value = *++argument;
        if (value == nullptr) return complain(option + " without its value");
        if (!take(option, value, options)) return complain(quoted(value) + " is no value for " + option);
    }
    if (options.script.empty()) return complain("no Script given");
    return Parsed::run;
}

}  // namespace clearway::workload
