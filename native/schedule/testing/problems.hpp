// Problems for tests: shapes of hosts, and block sizes that differ wherever the operation lets them.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "schedule/algorithms.hpp"

namespace clearway::schedule {

// The same host shapes for any rank count: each rank alone, full hosts and a rest, all on one, scattered, growing.
inline std::vector<Placement> placements_of(std::uint32_t ranks) {
    std::vector<Placement> shapes;
    const auto add = [&](auto host_of) {
        std::vector<std::uint32_t> hosts(ranks);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) hosts[rank] = host_of(rank);
        shapes.push_back(place(std::move(hosts)));
    };
    add([](std::uint32_t rank) { return rank; });
    if (ranks == 1) return shapes;
    add([](std::uint32_t) { return 0U; });
    add([](std::uint32_t rank) { return rank / 2; });
    add([](std::uint32_t rank) { return rank / 3; });
    const std::uint32_t hosts = (ranks + 3) / 4;
    add([&](std::uint32_t rank) { return rank % hosts; });
    std::uint32_t host = 0;
    std::uint32_t left = 1;
    add([&](std::uint32_t) {  // hosts of 1, 2, 3, ... ranks
        if (left-- == 0) left = ++host;
        return host;
    });
    return shapes;
}

// A vector in so many blocks, 0 for one a rank; no two neighbouring blocks alike, and every fifth empty.
inline Problem vector_of(Operation operation, Placement placement, std::uint64_t bytes, std::uint32_t root,
                         std::uint32_t blocks) {
    Problem problem{operation, std::move(placement), {}};
    problem.root = root;
    problem.blocks = blocks == 0 || operation == Operation::reduce_scatter ? ranks_of(problem) : blocks;
    for (std::uint32_t block = 0; block < problem.blocks; ++block)
        problem.block_bytes.push_back((block + 1) % 5 * bytes);
    return problem;
}

// Equal blocks where the operation demands it; else no two neighbours alike, and every fifth empty.
inline Problem problem_of(Operation operation, Placement placement, std::uint64_t bytes = 64) {
    if (operation == Operation::barrier) return {operation, std::move(placement), {1}};
    if (is_on_vector(operation)) return vector_of(operation, std::move(placement), bytes, 0, 3);
    Problem problem{operation, std::move(placement), {bytes}};
    if (is_uniform(operation)) return problem;
    const std::uint32_t ranks = ranks_of(problem);
    const std::uint32_t rows = operation == Operation::allgatherv ? 1 : ranks;
    problem.block_bytes.clear();
    for (std::uint32_t row = 0; row < rows; ++row)
        for (std::uint32_t column = 0; column < ranks; ++column)
            problem.block_bytes.push_back((std::uint64_t{row} * 7 + std::uint64_t{column} * 3) % 5 * bytes);
    return problem;
}

// The same for an algorithm: of a vector with several cuts and roots.
inline std::vector<Problem> problems_for(const Algorithm& algorithm, Operation operation, const Placement& placement,
                                         std::uint64_t bytes = 64) {
    if (!is_on_vector(operation) || operation == Operation::barrier) return {problem_of(operation, placement, bytes)};
    const std::uint32_t ranks = ranks_of(placement);
    std::vector<Problem> problems{vector_problem(algorithm, operation, placement, 1000 * bytes, 1, ranks / 2)};
    for (const std::uint32_t root : {0U, 1U, ranks - 1})
        if (root < ranks && (root == 0 || has_root(operation)))
            problems.push_back(vector_of(operation, placement, bytes, root, root == 1 ? 0 : 3));
    return problems;
}

inline Separation gated_by(Gate gate) {
    Separation separation;
    separation.gate = gate;
    separation.window_bytes = gate == Gate::credits ? 16 : 0;
    return separation;
}

inline Placement single_ranks(std::uint32_t ranks) {
    std::vector<std::uint32_t> hosts(ranks);
    std::iota(hosts.begin(), hosts.end(), 0);
    return place(std::move(hosts));
}

// "hierarchical alltoall of 6 ranks on 0 0 1 1 1 2"
inline std::string words_of(const Schedule& schedule) {
    std::string words = schedule.algorithm + " " + std::string(name_of(schedule.problem.operation)) + " of " +
                        std::to_string(ranks_of(schedule.problem)) + " ranks on hosts";
    for (const std::uint32_t host : schedule.problem.placement.host_of_rank) words += " " + std::to_string(host);
    return words + ", gate " + std::string(name_of(schedule.separation.gate));
}

}  // namespace clearway::schedule
