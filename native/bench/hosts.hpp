// Which ranks share a host, and what TCP had to send again on all hosts.
#pragma once

#include <cstdint>

#include "mpi/loaded.hpp"

namespace clearway::bench {

struct Hosts {
    std::uint32_t count = 0;
    std::uint32_t most_ranks = 0;  // on one host
    bool speaks_for_host = false;  // this rank is the lowest of its host
};

Hosts find_hosts(const World& world);

struct TcpCounters {
    std::uint64_t retransmits = 0, timeouts = 0;
};

// Summed over hosts since they started; of all processes there. Collective.
TcpCounters count_tcp(const World& world, const Hosts& hosts);

}  // namespace clearway::bench
