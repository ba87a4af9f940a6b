// For several ranks a host: hosts take turns as in ordered or pairwise exchange, and within a turn their ranks do, so
// that each network port carries one message out and one in, whichever ranks it belongs to.
//
//   phase 0    inside the hosts, all at once
//   round i    an even number of hosts: pairs exchange (an acknowledgement then rides on data of the other direction);
//              an odd number: to the i-th next host, from the i-th before, for pairs would leave a host idle
//   turn k     of a round: rank k mod a of the one host with one of the b ranks of the other; a·b turns
//
// The word that a port is free comes from the rank that used it last and goes to the one that uses it next; the ranks
// of a host differ in this, so the leaves are the algorithm's own and not those of neighbour_leaves.hpp.
#include <algorithm>

#include "schedule/algorithms.hpp"
#include "schedule/pairing.hpp"

namespace clearway::schedule::algorithm {

namespace {

struct Ends {
    std::uint32_t sender = kNoPeer;  // ranks; kNoPeer: the port rests
    std::uint32_t receiver = kNoPeer;
};

bool in_pairs(std::uint32_t hosts) { return hosts % 2 == 0; }

std::uint32_t next_host(const Placement& placement, std::uint32_t host, std::uint32_t round) {
    const std::uint32_t hosts = hosts_of(placement);
    return in_pairs(hosts) ? partner(host, round, hosts) : (host + round + 1) % hosts;
}

std::uint32_t host_before(const Placement& placement, std::uint32_t host, std::uint32_t round) {
    const std::uint32_t hosts = hosts_of(placement);
    return in_pairs(hosts) ? partner(host, round, hosts) : (host + hosts - round - 1) % hosts;
}

// Enough for the two largest hosts that may meet. Hosts with fewer ranks rest in some turns.
std::uint32_t turns_of_round(const Placement& placement) {
    std::uint32_t largest = 0;
    std::uint32_t second = 0;
    for (std::uint32_t host = 0; host < hosts_of(placement); ++host) {
        const std::uint32_t ranks = ranks_on(placement, host);
        second = std::max(second, std::min(largest, ranks));
        largest = std::max(largest, ranks);
    }
    return largest * second;
}

struct Turns {
    explicit Turns(const Placement& which) : placement(which), a_round(turns_of_round(which)) {}
    const Placement& placement;
    const std::uint32_t a_round;

    std::uint32_t phases() const { return 1 + (hosts_of(placement) - 1) * a_round; }

    // What leaves a host's port in a phase after phase 0. Of two hosts in a pair, the first one's ranks count fast
    // in both directions, so that in each turn the same two ranks exchange.
    Ends out_of(std::uint32_t host, std::uint32_t phase) const {
        const std::uint32_t turn = (phase - 1) % a_round;
        const std::uint32_t other = next_host(placement, host, (phase - 1) / a_round);
        const bool counts_fast = host < other || !in_pairs(hosts_of(placement));
        const std::uint32_t fast = ranks_on(placement, counts_fast ? host : other);
        const std::uint32_t slow = ranks_on(placement, counts_fast ? other : host);
        if (turn >= fast * slow) return {};
        const std::uint32_t of_fast = turn % fast;
        const std::uint32_t of_slow = (turn % fast + turn / fast) % slow;
        return {rank_on(placement, host, counts_fast ? of_fast : of_slow),
                rank_on(placement, other, counts_fast ? of_slow : of_fast)};
    }
    Ends into(std::uint32_t host, std::uint32_t phase) const {
        return out_of(host_before(placement, host, (phase - 1) / a_round), phase);
    }
};

// A sender of the phase after `phase` needs the word of who received last from its host's port, and of who received
// last through the port it sends to.
void add_leaves(const Turns& turns, std::uint32_t rank, std::uint32_t phase, ProgramBuilder& program) {
    const std::uint32_t host = turns.placement.host_of_rank[rank];
    if (const Ends next = turns.out_of(host, phase + 1); next.sender == rank) {
        const std::uint32_t target = turns.placement.host_of_rank[next.receiver];
        for (const Ends& last : {turns.out_of(host, phase), turns.into(target, phase)})
            if (last.receiver != kNoPeer && last.receiver != rank) program.need_leave(phase, last.receiver);
    }
    if (const Ends last = turns.into(host, phase); last.receiver == rank) {
        const std::uint32_t source = turns.placement.host_of_rank[last.sender];
        for (const Ends& next : {turns.out_of(source, phase + 1), turns.into(host, phase + 1)})
            if (next.sender != kNoPeer && next.sender != rank) program.give_leave(phase, next.sender);
    }
}

}  // namespace

std::uint32_t phases_of_port_pairs(const Problem& problem) { return Turns(problem.placement).phases(); }

void write_port_pairs(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Turns turns(problem.placement);
    const Placement& placement = problem.placement;
    const std::uint32_t host = placement.host_of_rank[rank];
    program.use_own_leaves();
    program.copy_own_block();
    for (std::uint32_t index = 0; index < ranks_on(placement, host); ++index) {
        const std::uint32_t peer = rank_on(placement, host, index);
        if (peer == rank) continue;
        program.receive(peer, incoming(peer));
        program.send(peer, outgoing(problem, peer));
    }
    for (std::uint32_t phase = 1; phase < turns.phases(); ++phase) {
        program.enter_phase(phase);
        if (const Ends in = turns.into(host, phase); in.receiver == rank)
            program.receive(in.sender, incoming(in.sender));
        if (const Ends out = turns.out_of(host, phase); out.sender == rank)
            program.send(out.receiver, outgoing(problem, out.receiver));
        if (phase + 1 < turns.phases()) add_leaves(turns, rank, phase, program);
    }
}

}  // namespace clearway::schedule::algorithm
