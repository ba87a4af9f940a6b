// Allgather through one leader a host, its lowest rank, so that each block crosses each port once.
//   phase 0:     ranks give the leader their block
//   phase i:     leaders exchange, ordered over hosts: all blocks of a host go to the i-th next in one message
//   last phase:  the leader hands everything to its ranks
#include <vector>

#include "schedule/algorithms.hpp"

namespace clearway::schedule::algorithm {

namespace {

std::vector<Slots> blocks_of_host(const Placement& placement, std::uint32_t host) {
    std::vector<Slots> runs;
    for (std::uint32_t j = 0; j < ranks_on(placement, host); ++j)
        append_slot(runs, Buffer::receive, rank_on(placement, host, j));
    return runs;
}

std::vector<Slots> all_but_own(std::uint32_t block, std::uint32_t ranks) {
    std::vector<Slots> runs;
    for (std::uint32_t origin = 0; origin < ranks; ++origin)
        if (origin != block) append_slot(runs, Buffer::receive, origin);
    return runs;
}

void write_allgather_leader(const Problem& problem, std::uint32_t host, ProgramBuilder& program) {
    const Placement& placement = problem.placement;
    const std::uint32_t hosts = hosts_of(placement);
    const std::uint32_t members = ranks_on(placement, host);
    for (std::uint32_t j = 1; j < members; ++j) {
        const std::uint32_t member = rank_on(placement, host, j);
        program.receive(member, incoming(member));
    }
    for (std::uint32_t i = 1; i < hosts; ++i) {
        program.enter_phase(i);
        const std::uint32_t source = (host + hosts - i) % hosts;
        program.receive(rank_on(placement, source, 0), blocks_of_host(placement, source));
        program.send(rank_on(placement, (host + i) % hosts, 0), blocks_of_host(placement, host));
    }
    program.enter_phase(hosts);
    for (std::uint32_t j = 1; j < members; ++j) {
        const std::uint32_t member = rank_on(placement, host, j);
        program.send(member, all_but_own(member, ranks_of(problem)));
    }
}

}  // namespace

void write_hierarchical_allgather(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Placement& placement = problem.placement;
    const std::uint32_t host = placement.host_of_rank[rank];
    program.copy_own_block();
    if (index_on_host(placement, rank) == 0) return write_allgather_leader(problem, host, program);
    const std::uint32_t leader = rank_on(placement, host, 0);
    program.send(leader, outgoing(problem, leader));
    program.enter_phase(hosts_of(placement));
    program.receive(leader, all_but_own(rank, ranks_of(problem)));
}

}  // namespace clearway::schedule::algorithm
