// The algorithms, and the one table of what each can do. All of them take any number of ranks and any placement.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "schedule/program_builder.hpp"
#include "schedule/schedule.hpp"

namespace clearway::schedule {

struct Algorithm {
    std::string_view name;
    std::span<const Operation> operations;
    std::string_view summary;
    // The promise for this placement: most algorithms keep the ports free only with one rank on each host.
    PortUse (*port_use)(const Placement& placement);
    // Known to every rank alike, since gates between phases involve them all.
    std::uint32_t (*phases)(const Problem& problem);
    // Into how many blocks it wants a vector cut that so many ranks have.
    std::uint32_t (*blocks)(std::uint32_t ranks);
    void (*write)(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
};

std::span<const Algorithm> algorithms();

// Returns nullptr where there is none of that name.
const Algorithm* find_algorithm(std::string_view name);

bool serves(const Algorithm& algorithm, Operation operation);

// The Problem of an operation on a vector of `bytes`, cut as the algorithm wants it.
Problem vector_problem(const Algorithm& algorithm, Operation operation, Placement placement, std::uint64_t bytes,
                       std::uint64_t element_bytes = 1, std::uint32_t root = 0);

// What `rank` does. Of the problem's block sizes it reads only those that this rank knows under MPI.
Program make_program(const Algorithm& algorithm, const Problem& problem, std::uint32_t rank);

// All ranks' Programs. The problem and the separation must be without fault, and the algorithm serve the operation.
Schedule make_schedule(const Algorithm& algorithm, const Problem& problem, const Separation& separation = {});

namespace algorithm {  // one file each, in algorithms/
void write_direct(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
void write_lam(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
void write_ordered(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
void write_node_ordered(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
std::uint32_t phases_of_pairwise(const Problem& problem);
void write_pairwise(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
std::uint32_t phases_of_port_pairs(const Problem& problem);
void write_port_pairs(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
void write_bruck_alltoall(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
void write_bruck_allgather(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
void write_ring(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
std::uint32_t phases_of_recursive_doubling(const Problem& problem);
void write_recursive_doubling(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
void write_hierarchical_alltoall(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
void write_hierarchical_allgather(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
void write_binomial_bcast(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
void write_binomial_reduce(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
void write_chain_bcast(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
void write_chain_reduce(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
std::uint32_t phases_of_linear(const Problem& problem);
void write_linear(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
std::uint32_t phases_of_scatter_ring(const Problem& problem);
void write_scatter_ring(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
std::uint32_t phases_of_ring_reduction(const Problem& problem);
void write_ring_reduction(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
std::uint32_t phases_of_recursive_doubling_allreduce(const Problem& problem);
void write_recursive_doubling_allreduce(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
std::uint32_t phases_of_rabenseifner(const Problem& problem);
void write_rabenseifner(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
void write_dissemination(const Problem& problem, std::uint32_t rank, ProgramBuilder& program);
}  // namespace algorithm

}  // namespace clearway::schedule
