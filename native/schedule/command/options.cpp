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
    "  --operation NAME  alltoall (default), alltoallv, alltoallw, allgather, allgatherv,\n"
    "                    bcast, reduce, allreduce, reduce_scatter, barrier\n"
    "  --hosts H,H,...   the host of each rank, hosts numbered from 0\n"
    "  --bytes N         bytes of a block, or of the vector from bcast on (default 65536)\n"
    "  --root N          of bcast and reduce (default 0)\n"
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

// What the Problem is made of.
struct Words {
    std::vector<std::uint32_t> host_of_rank;
    std::uint64_t bytes = 65536;
    std::uint32_t root = 0;
    bool uneven = false;
};

Parsed parse_arguments(char** argument, Words& words, Options& options) {
    for (; *argument != nullptr; ++argument) {
        const std::string option = *argument;
        if (option == "--messages") {
            options.with_messages = true;
        } else if (option == "--check") {
            options.with_check = true;
        } else if (option == "--uneven") {
            words.uneven = true;
        } else {
            const bool known = option == "--operation" || option == "--hosts" || option == "--bytes" ||
                               option == "--root" || option == "--gate";
            if (!known) return complain("unknown option " + quoted(option));
            if (*++argument == nullptr) return complain(option + " without its value");
            const std::string_view value = *argument;
            const bool right = option == "--operation" ? to_value(value, kOperations, options.problem.operation)
                               : option == "--hosts"   ? to_hosts(value, words.host_of_rank)
                               : option == "--bytes"   ? to_number(value, words.bytes)
                               : option == "--root"    ? to_number(value, words.root)
                                                       : to_value(value, kGates, options.separation.gate);
            if (!right) return complain(quoted(value) + " is no value for " + option);
        }
    }
    return Parsed::make;
}

Problem problem_of(const Algorithm& algorithm, Operation operation, Words& words) {
    Placement placement = place(std::move(words.host_of_rank));
    const std::uint32_t ranks = ranks_of(placement);
    if (operation == Operation::barrier) words.bytes = 1;
    if (is_on_vector(operation))
        return vector_problem(algorithm, operation, std::move(placement), words.bytes, 1, words.root);
    Problem problem{operation, std::move(placement), {words.bytes}};
    if (words.uneven && !is_uniform(operation)) problem.block_bytes = uneven_blocks(operation, ranks, words.bytes);
    return problem;
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

    Words words;
    if (parse_arguments(arguments + 2, words, options) == Parsed::wrong) return Parsed::wrong;
    Problem& problem = options.problem;
    const std::string operation(name_of(problem.operation));
    if (words.root != 0 && !has_root(problem.operation)) return complain(operation + " has no root");
    problem = problem_of(*options.algorithm, problem.operation, words);
    if (words.uneven && (is_uniform(problem.operation) || is_on_vector(problem.operation)))
        return complain("blocks of " + operation + " are all of one size");
    if (options.separation.gate == Gate::credits) options.separation.window_bytes = words.bytes;
    if (!serves(*options.algorithm, problem.operation)) return complain(quoted(name) + " does not serve " + operation);
    for (const std::string& fault : {fault_of(problem), fault_of(options.separation)})
        if (!fault.empty()) return complain(fault);
    return Parsed::make;
}

}  // namespace clearway::schedule
