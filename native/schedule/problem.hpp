// What is to be moved: the collective operation, the ranks on their hosts, and the size of every block.
// Nothing here says how; that is a Schedule (schedule.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace clearway::schedule {

enum class Operation : std::uint8_t { alltoall, alltoallv, alltoallw, allgather, allgatherv };

inline constexpr Operation kOperations[] = {Operation::alltoall, Operation::alltoallv, Operation::alltoallw,
                                            Operation::allgather, Operation::allgatherv};

std::string_view name_of(Operation operation);

constexpr bool is_allgather(Operation operation) {
    return operation == Operation::allgather || operation == Operation::allgatherv;
}

// Whether MPI promises blocks of one size. Otherwise each rank of an alltoallv knows only the blocks that it sends
// or receives itself, while every rank of an allgatherv knows all.
constexpr bool is_uniform(Operation operation) {
    return operation == Operation::alltoall || operation == Operation::allgather;
}

// Which rank runs on which host, both ways.
struct Placement {
    std::vector<std::uint32_t> host_of_rank;
    std::vector<std::uint32_t> ranks_by_host;  // all ranks, host after host, ascending on each host
    std::vector<std::uint32_t> first_on_host;  // where a host's ranks begin in ranks_by_host; hosts + 1 elements
    std::vector<std::uint32_t> place_of_rank;  // where a rank stands in ranks_by_host
};

// Hosts are numbered 0 … H−1, each with a rank at least; `fault_of` tells where they are not.
Placement place(std::vector<std::uint32_t> host_of_rank);

// Consecutive ranks on each host: `ranks_on_host` of {3, 2} gives hosts 0 0 0 1 1.
Placement place_in_blocks(const std::vector<std::uint32_t>& ranks_on_host);

struct Problem {
    Operation operation = Operation::alltoall;
    Placement placement;
    // One element where all blocks are equal; else for alltoallv and alltoallw ranks × ranks elements, row = origin,
    // and for allgatherv one element an origin.
    std::vector<std::uint64_t> block_bytes;
};

inline std::uint32_t ranks_of(const Placement& placement) {
    return static_cast<std::uint32_t>(placement.host_of_rank.size());
}
inline std::uint32_t ranks_of(const Problem& problem) { return ranks_of(problem.placement); }
inline std::uint32_t hosts_of(const Placement& placement) {
    return placement.first_on_host.empty() ? 0 : static_cast<std::uint32_t>(placement.first_on_host.size() - 1);
}

inline std::uint32_t ranks_on(const Placement& placement, std::uint32_t host) {
    return placement.first_on_host[host + 1] - placement.first_on_host[host];
}
inline std::uint32_t rank_on(const Placement& placement, std::uint32_t host, std::uint32_t index) {
    return placement.ranks_by_host[placement.first_on_host[host] + index];
}
inline std::uint32_t index_on_host(const Placement& placement, std::uint32_t rank) {
    return placement.place_of_rank[rank] - placement.first_on_host[placement.host_of_rank[rank]];
}
inline bool one_rank_a_host(const Placement& placement) { return ranks_of(placement) == hosts_of(placement); }

// Bytes of the block that `origin` has for `destination`; of an allgather every destination gets the same block.
std::uint64_t bytes_of_block(const Problem& problem, std::uint32_t origin, std::uint32_t destination);

// Why the problem makes no sense, as a sentence; empty where it does.
std::string fault_of(const Problem& problem);

}  // namespace clearway::schedule
