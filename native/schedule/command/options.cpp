#include "schedule/command/options.hpp"

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace clearway::schedule {

namespace {

constexpr char kHelp[] =
    "usage: clearway-schedule list\n"
    "       clearway-schedule ALGORITHM [OPTIONS]\n"
    "\n"
    "Prints the algorithms, or a Schedule, as JSON. `clearway schedule` shows the same to people.\n"
    "\n"
    "  --operation NAME  alltoall (default), alltoallv, alltoallw, allgather, allgatherv\n"
    "  --hosts H,H,...   the host of each rank, hosts numbered from 0\n"
    "  --bytes N         bytes of a block (default 65536)\n"
    "  --uneven          of a v or w operation: blocks of many sizes around N, some empty\n"
    "  --gate NAME       what separates phases: none (default), token, barrier, credits\n"
    "  --messages        print each message as well\n"
    "  --check           print what the checker finds as well\n"
    "  -h, --help        print this\n"
    "  -V, --version     print the version\n";

std::string quoted(std::string_view text) { return std::string("'").append(text).append("'"); }

Parsed complain(const std::string& message) {
    std::fprintf(stderr, "error: %s\n\nhint: clearway-schedule --help\n", message.c_str());
    return Parsed::wrong;
}

template <typename Number>
bool to_number(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

template <typename Value, std::size_t count>
bool to_value(std::string_view text, const Value (&values)[count], Value& value) {
    for (const Value candidate : values) {
        if (name_of(candidate) != text) continue;
        value = candidate;
        return true;
    }
    return false;
}

bool to_hosts(std::string_view text, std::vector<std::uint32_t>& host_of_rank) {
    for (;;) {
        const std::size_t comma = text.find(',');
        std::uint32_t host = 0;
        if (!to_number(text.substr(0, comma), host)) return false;
        host_of_rank.push_back(host);
        if (comma == std::string_view::npos) return true;
        text.remove_prefix(comma + 1);
    }
}

// Sizes of 0 to 2 × bytes in a fixed pattern without symmetry, so that blocks that are mixed up differ in size.
std::vector<std::uint64_t> uneven_blocks(Operation operation, std::uint32_t ranks, std::uint64_t bytes) {
    std::vector<std::uint64_t> sizes;
    const std::uint32_t rows = operation == Operation::allgatherv ? 1 : ranks;
    for (std::uint32_t row = 0; row < rows; ++row)
        for (std::uint32_t column = 0; column < ranks; ++column)
            sizes.push_back((std::uint64_t{row} * 7 + std::uint64_t{column} * 3) % 5 * bytes / 2);
    return sizes;
}

Parsed parse_arguments(char** argument, std::vector<std::uint32_t>& host_of_rank, std::uint64_t& bytes, bool& uneven,
                       Options& options) {
    for (; *argument != nullptr; ++argument) {
        const std::string option = *argument;
        if (option == "--messages") {
            options.with_messages = true;
        } else if (option == "--check") {
            options.with_check = true;
        } else if (option == "--uneven") {
            uneven = true;
        } else {
            const bool known =
                option == "--operation" || option == "--hosts" || option == "--bytes" || option == "--gate";
            if (!known) return complain("unknown option " + quoted(option));
            if (*++argument == nullptr) return complain(option + " without its value");
            const std::string_view value = *argument;
            const bool right = option == "--operation" ? to_value(value, kOperations, options.problem.operation)
                               : option == "--hosts"   ? to_hosts(value, host_of_rank)
                               : option == "--bytes"   ? to_number(value, bytes)
                                                       : to_value(value, kGates, options.separation.gate);
            if (!right) return complain(quoted(value) + " is no value for " + option);
        }
    }
    return Parsed::make;
}

}  // namespace

Parsed parse_options(char** arguments, Options& options) {
    const char* first = arguments[1];
    if (first == nullptr) return complain("no algorithm given");
    const std::string_view name = first;
    if (name == "-h" || name == "--help") return std::fputs(kHelp, stdout), Parsed::done;
    if (name == "-V" || name == "--version") return std::puts("clearway-schedule " CLEARWAY_VERSION), Parsed::done;
    if (name == "list") return Parsed::list;
    options.algorithm = find_algorithm(name);
    if (options.algorithm == nullptr) return complain("there is no algorithm " + quoted(name));

    std::vector<std::uint32_t> host_of_rank;
    std::uint64_t bytes = 65536;
    bool uneven = false;
    if (parse_arguments(arguments + 2, host_of_rank, bytes, uneven, options) == Parsed::wrong) return Parsed::wrong;
    Problem& problem = options.problem;
    problem.placement = place(std::move(host_of_rank));
    problem.block_bytes = {bytes};
    const std::string operation(name_of(problem.operation));
    if (uneven && is_uniform(problem.operation)) return complain("blocks of " + operation + " are all of one size");
    if (uneven) problem.block_bytes = uneven_blocks(problem.operation, ranks_of(problem), bytes);
    if (options.separation.gate == Gate::credits) options.separation.window_bytes = bytes;
    if (!serves(*options.algorithm, problem.operation)) return complain(quoted(name) + " does not serve " + operation);
    for (const std::string& fault : {fault_of(problem), fault_of(options.separation)})
        if (!fault.empty()) return complain(fault);
    return Parsed::make;
}

}  // namespace clearway::schedule
