// What is to be moved: the collective operation, the ranks on their hosts, and the size of every block.
// Nothing here says how; that is a Schedule (schedule.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace clearway::schedule {

enum class Operation : std::uint8_t {
    alltoall,
    alltoallv,
    alltoallw,
    allgather,
    allgatherv,
    bcast,
    reduce,
    allreduce,
    reduce_scatter,
    barrier,  // an allreduce of one byte that says "all are here"
};

inline constexpr Operation kOperations[] = {
    Operation::alltoall, Operation::alltoallv, Operation::alltoallw, Operation::allgather,      Operation::allgatherv,
    Operation::bcast,    Operation::reduce,    Operation::allreduce, Operation::reduce_scatter, Operation::barrier};

std::string_view name_of(Operation operation);

constexpr bool is_allgather(Operation operation) {
    return operation == Operation::allgather || operation == Operation::allgatherv;
}

// Whether ranks' blocks are combined: all have a vector of the same blocks, and a result has a part of each rank.
constexpr bool is_reduction(Operation operation) { return operation >= Operation::reduce; }

// Whether a block is a part of a vector, whose length all ranks know; else it is what one rank has for another.
constexpr bool is_on_vector(Operation operation) { return operation >= Operation::bcast; }

constexpr bool has_root(Operation operation) { return operation == Operation::bcast || operation == Operation::reduce; }

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
    // for allgatherv one element an origin, and for a vector one element a block.
    std::vector<std::uint64_t> block_bytes;
    // Of a vector: into how many blocks it is cut. Any number does, but for a reduce_scatter, which has one a rank.
    std::uint32_t blocks = 1;
    std::uint32_t root = 0;
};

// A vector of `bytes` cut into `blocks` of whole elements, as even as can be; into fewer where it is shorter.
Problem cut_vector(Operation operation, Placement placement, std::uint64_t bytes, std::uint64_t element_bytes,
                   std::uint32_t blocks);

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

// Bytes of the block that `origin` has for `destination`; of an allgather every destination gets the same block. Not
// of a vector.
std::uint64_t bytes_of_block(const Problem& problem, std::uint32_t origin, std::uint32_t destination);

inline std::uint64_t bytes_of_vector_block(const Problem& problem, std::uint32_t block) {
    return problem.block_bytes[problem.block_bytes.size() == 1 ? 0 : block];
}

// Why the problem makes no sense, as a sentence; empty where it does.
std::string fault_of(const Problem& problem);

}  // namespace clearway::schedule
