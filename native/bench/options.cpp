#include "bench/options.hpp"

#include <charconv>
#include <cstdio>
#include <string_view>

namespace clearway::bench {

namespace {

constexpr char kHelp[] =
    "usage: mpirun -np N clearway-bench OPERATION [OPTIONS]\n"
    "\n"
    "Times a collective operation and prints what it measured as JSON, a line a point. `clearway bench` starts it,\n"
    "and makes tables and plots of its lines. OPERATION: alltoall, alltoallv, alltoallw, allgather, allgatherv.\n"
    "\n"
    "  --sizes N,...           bytes of a block, in the order in which they are measured\n"
    "  --grid XxYxZ            the block that PME on this grid sends, for the number of ranks that there is\n"
    "  --candidate TEXT        what to measure, once for each: own (default), flow, or an algorithm of the flow\n"
    "                          library, such as pairwise+token:12000,chunk:8000\n"
    "  --calls N               timed calls of a point (default 25)\n"
    "  --least-calls N         timed calls of a point even where they outlast its budget (default 3)\n"
    "  --warm-up-calls N       calls before the timed ones (default 10), fewer where they are slow\n"
    "  --learning-calls N      calls before the timed ones in which flow finds out (default 40)\n"
    "  --budget-ms N           time for the timed calls of a point (default 20000), and for flow to learn before\n"
    "  --interleave            candidates take turns call by call\n"
    "  --mpi-library PATH      the MPI to load (default: from the launcher's environment)\n"
    "  --flow-library PATH     preload the flow library\n"
    "  -h, --help              print this\n"
    "  -V, --version           print the version\n";

std::string quoted(std::string_view text) { return std::string("'").append(text).append("'"); }

Parsed complain(const std::string& message) {
    std::fprintf(stderr, "clearway-bench: %s\n\nhint: clearway-bench --help\n", message.c_str());
    return Parsed::wrong;
}

template <typename Number>
bool to_number(std::string_view text, Number least, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number >= least;
}

bool to_sizes(std::string_view text, std::vector<std::uint64_t>& sizes) {
    for (;;) {
        const std::size_t comma = text.find(',');
        std::uint64_t bytes = 0;
        if (!to_number<std::uint64_t>(text.substr(0, comma), 1, bytes)) return false;
        sizes.push_back(bytes);
        if (comma == std::string_view::npos) return true;
        text.remove_prefix(comma + 1);
    }
}

enum class Taken : std::uint8_t { yes, bad_value, unknown };

Taken take(std::string_view option, const char* value, std::vector<std::string>& candidates, Options& options) {
    const auto verdict = [](bool right) { return right ? Taken::yes : Taken::bad_value; };
    if (option == "--sizes") return verdict(to_sizes(value, options.block_bytes));
    if (option == "--grid") return verdict(to_grid(value, options.grid));
    if (option == "--calls") return verdict(to_number(value, 1U, options.calls));
    if (option == "--least-calls") return verdict(to_number(value, 1U, options.least_calls));
    if (option == "--warm-up-calls") return verdict(to_number(value, 0U, options.warm_up_calls));
    if (option == "--learning-calls") return verdict(to_number(value, 0U, options.learning_calls));
    if (option == "--candidate") return candidates.emplace_back(value), Taken::yes;
    if (option == "--mpi-library") return options.mpi_library = value, Taken::yes;
    if (option == "--flow-library") return options.flow_library = value, Taken::yes;
    if (option != "--budget-ms") return Taken::unknown;
    constexpr std::uint64_t kNsPerMs = 1'000'000;
    const bool right = to_number<std::uint64_t>(value, 1, options.budget_ns);
    options.budget_ns *= kNsPerMs;
    return verdict(right);
}

}  // namespace

Parsed parse_options(char** arguments, Options& options) {
    char** argument = arguments + 1;
    if (*argument == nullptr) return complain("no operation given");
    const std::string_view first = *argument++;
    if (first == "-h" || first == "--help") return std::fputs(kHelp, stdout), Parsed::done;
    if (first == "-V" || first == "--version") return std::puts("clearway-bench " CLEARWAY_VERSION), Parsed::done;
    if (!to_operation(first, options.operation)) return complain("there is no operation " + quoted(first));

    std::vector<std::string> candidates;
    for (; *argument != nullptr; ++argument) {
        const std::string option = *argument;
        if (option == "--interleave") {
            options.interleave = true;
            continue;
        }
        const char* value = argument[1];
        const Taken taken = take(option, value != nullptr ? value : "", candidates, options);
        if (taken == Taken::unknown) return complain("unknown option " + quoted(option));
        if (value == nullptr) return complain(option + " without its value");
        if (taken == Taken::bad_value) return complain(quoted(value) + " is no value for " + option);
        ++argument;
    }
    if (!candidates.empty()) options.candidates = candidates;
    if (options.block_bytes.empty() && options.grid.x == 0) return complain("no sizes given: --sizes 1024,65536");
    return Parsed::run;
}

}  // namespace clearway::bench
