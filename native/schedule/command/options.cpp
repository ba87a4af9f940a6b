#include "schedule/command/options.hpp"

#include <string_view>
#include <utility>

namespace clearway::schedule {

namespace {

using command_line::Parsed;
using command_line::quoted;

constexpr std::string_view kHead =
    "usage: clearway-schedule list\n"
    "       clearway-schedule ALGORITHM [OPTIONS]\n"
    "\n"
    "Prints the algorithms, or a Schedule, as JSON. `clearway schedule` shows the same as tables.\n"
    "\n";

// What the Problem is made of.
struct Words {
    std::vector<std::uint32_t> host_of_rank;
    std::uint64_t bytes = 65536;
    std::uint32_t root = 0;
    bool are_uneven = false;
};

command_line::Program program_of(Options& options, Words& words) {
    return {
        .name = "clearway-schedule",
        .complains_as = "error",
        .head = kHead,
        .column = 20,
        .options = {{"--operation", "NAME",
                     "alltoall (default), alltoallv, alltoallw, allgather, allgatherv,\nbcast, reduce, allreduce, "
                     "reduce_scatter, barrier",
                     command_line::one_of(kOperations, options.problem.operation)},
                    {"--hosts", "H,H,...", "the host of each rank, hosts numbered from 0",
                     command_line::numbers(words.host_of_rank)},
                    {"--bytes", "N", "bytes of a block, or of the vector from bcast on (default 65536)",
                     command_line::number(words.bytes)},
                    {"--root", "N", "of bcast and reduce (default 0)", command_line::number(words.root)},
                    {"--uneven", "", "of a v or w operation: blocks of many sizes around N, some empty",
                     command_line::flag(words.are_uneven)},
                    {"--gate", "NAME", "what separates phases: none (default), token, barrier, credits",
                     command_line::one_of(kGates, options.separation.gate)},
                    {"--messages", "", "print each message as well", command_line::flag(options.with_messages)},
                    {"--check", "", "print what the checker finds as well", command_line::flag(options.with_check)}},
        .take_word = [&options](std::string_view word) -> std::string {
            if (options.algorithm != nullptr || options.lists) return "unknown option " + quoted(word);
            options.lists = word == "list";
            if (!options.lists) options.algorithm = find_algorithm(word);
            return options.lists || options.algorithm != nullptr ? "" : "there is no algorithm " + quoted(word);
        }};
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

Problem problem_of(const Algorithm& algorithm, Operation operation, Words& words) {
    Placement placement = place(std::move(words.host_of_rank));
    const std::uint32_t ranks = ranks_of(placement);
    if (operation == Operation::barrier) words.bytes = 1;
    if (is_on_vector(operation))
        return vector_problem(algorithm, operation, std::move(placement), words.bytes, 1, words.root);
    Problem problem{operation, std::move(placement), {words.bytes}};
    if (words.are_uneven && !is_uniform(operation)) problem.block_bytes = uneven_blocks(operation, ranks, words.bytes);
    return problem;
}

// Returns what is wrong.
std::string make_problem(Words& words, Options& options) {
    Problem& problem = options.problem;
    const std::string operation(name_of(problem.operation));
    if (words.root != 0 && !has_root(problem.operation)) return operation + " has no root";
    problem = problem_of(*options.algorithm, problem.operation, words);
    if (words.are_uneven && (is_uniform(problem.operation) || is_on_vector(problem.operation)))
        return "all blocks of " + operation + " have the same size";
    if (options.separation.gate == Gate::credits) options.separation.window_bytes = words.bytes;
    if (!serves(*options.algorithm, problem.operation))
        return quoted(options.algorithm->name) + " cannot do " + operation;
    std::string fault = fault_of(problem);
    return fault.empty() ? fault_of(options.separation) : fault;
}

}  // namespace

Parsed parse_options(char** arguments, Options& options) {
    Words words;
    const command_line::Program program = program_of(options, words);
    if (const Parsed parsed = parse(arguments, program); parsed != Parsed::run || options.lists) return parsed;
    if (options.algorithm == nullptr) return complain(program, "no algorithm given");
    const std::string fault = make_problem(words, options);
    return fault.empty() ? Parsed::run : complain(program, fault);
}

}  // namespace clearway::schedule
