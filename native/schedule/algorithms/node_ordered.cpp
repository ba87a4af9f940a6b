// Ordered exchange over hosts (Kutzner et al. 2007, Figs. 7 and 8): in phase i every rank of a host sends to every rank
// of the i-th next host. A port sends to one host and receives from one, so nothing collides in the switch; in which
// order the messages of a phase pass does not matter. Phase 0 is inside the hosts. Hosts may differ in size.
#include "schedule/algorithms.hpp"

namespace clearway::schedule::algorithm {

void write_node_ordered(const Problem& problem, std::uint32_t rank, ProgramBuilder& program) {
    const Placement& placement = problem.placement;
    const std::uint32_t hosts = hosts_of(placement);
    const std::uint32_t host = placement.host_of_rank[rank];
    program.copy_own_block();
    for (std::uint32_t i = 0; i < hosts; ++i) {
        program.enter_phase(i);
        const std::uint32_t source_host = (host + hosts - i) % hosts;
        const std::uint32_t destination_host = (host + i) % hosts;
        for (std::uint32_t j = 0; j < ranks_on(placement, source_host); ++j) {
            const std::uint32_t source = rank_on(placement, source_host, j);
            if (source != rank) program.receive(source, incoming(source));
        }
        for (std::uint32_t j = 0; j < ranks_on(placement, destination_host); ++j) {
            const std::uint32_t destination = rank_on(placement, destination_host, j);
            if (destination != rank) program.send(destination, outgoing(problem, destination));
        }
    }
}

}  // namespace clearway::schedule::algorithm
