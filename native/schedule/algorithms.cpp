#include "schedule/algorithms.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace clearway::schedule {

namespace {

using enum Operation;

// Those in which each rank has a block for each.
constexpr Operation kAll[] = {alltoall, alltoallv, alltoallw, allgather, allgatherv};
constexpr Operation kBcastAndReduce[] = {bcast, reduce};
constexpr Operation kBcast[] = {bcast};
constexpr Operation kFromOrToOne[] = {bcast, reduce, barrier};
constexpr Operation kReduceAndAllreduce[] = {allreduce, reduce};
constexpr Operation kBarrier[] = {barrier};
constexpr Operation kRing[] = {allgather, allgatherv, allreduce, reduce_scatter};
constexpr Operation kDoubling[] = {allgather, allgatherv, allreduce};
constexpr Operation kAlltoalls[] = {alltoall, alltoallv, alltoallw};
// Of an alltoallv no rank knows the sizes of others' blocks, so none can forward them.
constexpr Operation kForwarding[] = {alltoall, allgather, allgatherv};

PortUse no_promise(const Placement&) { return PortUse::any; }
PortUse one_message(const Placement&) { return PortUse::one_message; }
PortUse one_message_without_sharing(const Placement& placement) {
    return one_rank_a_host(placement) ? PortUse::one_message : PortUse::any;
}
PortUse one_host(const Placement& placement) {
    return one_rank_a_host(placement) ? PortUse::one_message : PortUse::one_host;
}

std::uint32_t one_phase(const Problem&) { return 1; }
std::uint32_t phase_a_peer(const Problem& problem) { return std::max(ranks_of(problem), 2U) - 1; }
std::uint32_t phase_a_host(const Problem& problem) { return hosts_of(problem.placement); }
std::uint32_t phase_a_doubling(const Problem& problem) {
    return std::max(1U, static_cast<std::uint32_t>(std::bit_width(ranks_of(problem) - 1)));
}
// To the leader, between leaders, from the leader.
std::uint32_t phases_of_hierarchy(const Problem& problem) { return hosts_of(problem.placement) + 1; }

std::uint32_t phases_of_ring(const Problem& problem) {
    return is_reduction(problem.operation) ? algorithm::phases_of_ring_reduction(problem) : phase_a_peer(problem);
}
std::uint32_t phases_of_doubling(const Problem& problem) {
    return is_reduction(problem.operation) ? algorithm::phases_of_recursive_doubling_allreduce(problem)
                                           : algorithm::phases_of_recursive_doubling(problem);
}

std::uint32_t in_one(std::uint32_t) { return 1; }
std::uint32_t block_a_rank(std::uint32_t ranks) { return ranks; }
std::uint32_t power_of_two(std::uint32_t ranks) { return std::bit_floor(ranks); }

void write_bruck(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    (is_allgather(problem.operation) ? algorithm::write_bruck_allgather : algorithm::write_bruck_alltoall)(
        problem, rank, program);
}

void write_hierarchical(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    (is_allgather(problem.operation) ? algorithm::write_hierarchical_allgather
                                     : algorithm::write_hierarchical_alltoall)(problem, rank, program);
}

void write_ring(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    (is_reduction(problem.operation) ? algorithm::write_ring_reduction : algorithm::write_ring)(problem, rank, program);
}

void write_recursive_doubling(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    (is_reduction(problem.operation) ? algorithm::write_recursive_doubling_allreduce
                                     : algorithm::write_recursive_doubling)(problem, rank, program);
}

void write_binomial(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    (is_reduction(problem.operation) ? algorithm::write_binomial_reduce : algorithm::write_binomial_bcast)(
        problem, rank, program);
}

void write_chain(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    (is_reduction(problem.operation) ? algorithm::write_chain_reduce : algorithm::write_chain_bcast)(problem, rank,
                                                                                                     program);
}

constexpr Algorithm kAlgorithms[] = {
    {"direct", kAll, "all at once, each rank starting with its neighbour", no_promise, one_phase, in_one,
     algorithm::write_direct},
    {"lam", kAlltoalls, "all at once, all starting with rank 0, as LAM/MPI did", no_promise, one_phase, in_one,
     algorithm::write_lam},
    {"ordered", kAll, "in phase i send to the i-th next rank, receive from the i-th before",
     one_message_without_sharing, phase_a_peer, in_one, algorithm::write_ordered},
    {"node_ordered", kAll, "ordered by hosts: all ranks of a host send to all of the next", one_host, phase_a_host,
     in_one, algorithm::write_node_ordered},
    {"pairwise", kAll, "in each phase pairs of ranks exchange", one_message_without_sharing,
     algorithm::phases_of_pairwise, in_one, algorithm::write_pairwise},
    {"port_pairs", kAll, "hosts take turns, and so do the ranks of a host: one message at a time per port", one_message,
     algorithm::phases_of_port_pairs, in_one, algorithm::write_port_pairs},
    {"bruck", kForwarding, "few phases: blocks travel together, by powers of two", one_message_without_sharing,
     phase_a_doubling, in_one, write_bruck},
    {"ring", kRing, "each rank passes on what it received last, host by host", one_message, phases_of_ring,
     block_a_rank, write_ring},
    {"recursive_doubling", kDoubling, "pairs exchange all that they have, over doubling distances",
     one_message_without_sharing, phases_of_doubling, in_one, write_recursive_doubling},
    {"hierarchical", kForwarding, "one leader per host communicates for its ranks, ordered", one_message,
     phases_of_hierarchy, in_one, write_hierarchical},
    {"binomial", kBcastAndReduce, "a tree: in each phase twice as many ranks have it", one_message_without_sharing,
     phase_a_doubling, in_one, write_binomial},
    {"chain", kBcastAndReduce, "each rank passes on the whole vector to the next", one_message_without_sharing,
     phase_a_peer, in_one, write_chain},
    {"linear", kFromOrToOne, "the root exchanges with every rank itself, all at once", no_promise,
     algorithm::phases_of_linear, in_one, algorithm::write_linear},
    {"scatter_ring", kBcast, "parts go down a tree, and are gathered in a ring", one_message_without_sharing,
     algorithm::phases_of_scatter_ring, block_a_rank, algorithm::write_scatter_ring},
    {"rabenseifner", kReduceAndAllreduce, "the vector is halved, reduced in parts, and gathered",
     one_message_without_sharing, algorithm::phases_of_rabenseifner, power_of_two, algorithm::write_rabenseifner},
    {"dissemination", kBarrier, "each rank signals to ranks at doubling distances", one_message_without_sharing,
     phase_a_doubling, in_one, algorithm::write_dissemination},
};

}  // namespace

std::span<const Algorithm> algorithms() { return kAlgorithms; }

const Algorithm* find_algorithm(std::string_view name) {
    const auto* found = std::ranges::find(kAlgorithms, name, &Algorithm::name);
    return found == std::end(kAlgorithms) ? nullptr : found;
}

bool serves(const Algorithm& algorithm, Operation operation) {
    return std::ranges::find(algorithm.operations, operation) != algorithm.operations.end();
}

Problem vector_problem(const Algorithm& algorithm, Operation operation, Placement placement, std::uint64_t bytes,
                       std::uint64_t element_bytes, std::uint32_t root) {
    const std::uint32_t blocks = algorithm.blocks(ranks_of(placement));
    Problem problem = cut_vector(operation, std::move(placement), bytes, element_bytes, blocks);
    problem.root = root;
    return problem;
}

Program make_program(const Algorithm& algorithm, const Problem& problem, std::uint32_t rank) {
    ProgramBuilder builder(problem, rank);
    algorithm.write(problem, rank, builder);
    return builder.finish(algorithm.phases(problem));
}

Schedule make_schedule(const Algorithm& algorithm, const Problem& problem, const Separation& separation) {
    Schedule schedule{.problem = problem,
                      .algorithm = std::string(algorithm.name),
                      .separation = separation,
                      .port_use = algorithm.port_use(problem.placement),
                      .phases = algorithm.phases(problem),
                      .programs = {}};
    schedule.programs.reserve(ranks_of(problem));
    for (std::uint32_t rank = 0; rank < ranks_of(problem); ++rank)
        schedule.programs.push_back(make_program(algorithm, problem, rank));
    return schedule;
}

}  // namespace clearway::schedule
