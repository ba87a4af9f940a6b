// All-to-all through one leader a host, its lowest rank: few large messages on the network instead of many small ones.
//   phase 0:     ranks of a host exchange their blocks for each other, and give the leader those for other hosts
//   phase i:     leaders exchange, ordered over hosts: all blocks of a host for the i-th next in one message
//   last phase:  the leader hands out what came
#include <vector>

#include "schedule/algorithms.hpp"

namespace clearway::schedule::algorithm {

namespace {

using Runs = std::vector<Slots>;

// Ranks on other hosts, as blocks of a buffer that has one for each rank.
Runs blocks_of_other_hosts(const Placement& placement, std::uint32_t host, Buffer buffer, std::uint32_t first_slot) {
    Runs runs;
    for (std::uint32_t rank = 0; rank < ranks_of(placement); ++rank)
        if (placement.host_of_rank[rank] != host) append_slot(runs, buffer, first_slot + rank);
    return runs;
}

void exchange_inside(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Placement& placement = problem.placement;
    const std::uint32_t host = placement.host_of_rank[rank];
    for (std::uint32_t j = 0; j < ranks_on(placement, host); ++j) {
        const std::uint32_t peer = rank_on(placement, host, j);
        if (peer == rank) continue;
        program.receive(peer, incoming(peer));
        program.send(peer, outgoing(problem, peer));
    }
}

void write_alltoall_follower(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Placement& placement = problem.placement;
    const std::uint32_t host = placement.host_of_rank[rank];
    const std::uint32_t leader = rank_on(placement, host, 0);
    exchange_inside(problem, rank, program);
    program.send(leader, blocks_of_other_hosts(placement, host, Buffer::send, 0));
    program.enter_phase(hosts_of(placement));
    program.receive(leader, blocks_of_other_hosts(placement, host, Buffer::receive, 0));
}

// The leader's scratch: for each of its ranks a row with a slot for every rank, one table for what goes, one for what
// comes. Its own blocks stay in the caller's buffers, whose slots have the same numbers.
struct Tables {
    std::uint32_t ranks;
    std::uint32_t first_out;
    std::uint32_t first_in;

    static void append(Runs& runs, Buffer own, std::uint32_t first, std::uint32_t ranks, std::uint32_t index,
                       std::uint32_t slot) {
        if (index == 0) return append_slot(runs, own, slot);
        append_slot(runs, Buffer::scratch, first + index * ranks + slot);
    }
    void append_out(Runs& runs, std::uint32_t index, std::uint32_t destination) const {
        append(runs, Buffer::send, first_out, ranks, index, destination);
    }
    void append_in(Runs& runs, std::uint32_t index, std::uint32_t origin) const {
        append(runs, Buffer::receive, first_in, ranks, index, origin);
    }
};

// Both leaders go through a message in the same order: by origin, then by destination.
void exchange_between_leaders(const Placement& placement, std::uint32_t host, const Tables& tables,
                              ProgramBuilder& program) {
    const std::uint32_t hosts = hosts_of(placement);
    for (std::uint32_t i = 1; i < hosts; ++i) {
        program.enter_phase(i);
        const std::uint32_t source = (host + hosts - i) % hosts;
        const std::uint32_t destination = (host + i) % hosts;
        Runs in;
        for (std::uint32_t origin = 0; origin < ranks_on(placement, source); ++origin)
            for (std::uint32_t index = 0; index < ranks_on(placement, host); ++index)
                tables.append_in(in, index, rank_on(placement, source, origin));
        Runs out;
        for (std::uint32_t index = 0; index < ranks_on(placement, host); ++index)
            for (std::uint32_t target = 0; target < ranks_on(placement, destination); ++target)
                tables.append_out(out, index, rank_on(placement, destination, target));
        program.receive(rank_on(placement, source, 0), in);
        program.send(rank_on(placement, destination, 0), out);
    }
}

void write_alltoall_leader(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Placement& placement = problem.placement;
    const std::uint32_t ranks = ranks_of(problem);
    const std::uint32_t host = placement.host_of_rank[rank];
    const std::uint32_t members = ranks_on(placement, host);
    const bool forwards = members > 1 && hosts_of(placement) > 1;
    const std::uint32_t first_out = program.reserve_scratch(forwards ? members * ranks : 0);
    const std::uint32_t first_in = program.reserve_scratch(forwards ? members * ranks : 0);
    exchange_inside(problem, rank, program);
    for (std::uint32_t index = 1; index < members; ++index)
        program.receive(rank_on(placement, host, index),
                        blocks_of_other_hosts(placement, host, Buffer::scratch, first_out + index * ranks));
    exchange_between_leaders(placement, host, {ranks, first_out, first_in}, program);
    program.enter_phase(hosts_of(placement));
    for (std::uint32_t index = 1; index < members; ++index)
        program.send(rank_on(placement, host, index),
                     blocks_of_other_hosts(placement, host, Buffer::scratch, first_in + index * ranks));
}

}  // namespace

void write_hierarchical_alltoall(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    program.copy_own_block();
    const bool leads = index_on_host(problem.placement, rank) == 0;
    (leads ? write_alltoall_leader : write_alltoall_follower)(problem, rank, program);
}

}  // namespace clearway::schedule::algorithm
