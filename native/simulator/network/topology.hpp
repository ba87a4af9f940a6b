// Hosts, switches, the links between them, and which link a switch takes to reach a host. Plain data.
//
// Nodes are numbered hosts first, then switches. Link h is host h's card.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/network/link.hpp"
#include "simulator/network/shared_buffer.hpp"

namespace clearway::simulator {

struct TopologyLink {
    LinkSettings settings;
    std::uint32_t to_node;
};

struct Topology {
    std::uint32_t hosts = 0;
    std::uint32_t switches = 0;
    std::vector<TopologyLink> links;
    std::vector<std::uint32_t> route;  // [switch × hosts + host]: a link
    std::vector<SharedBuffer> pools;

    std::uint32_t next_link(std::uint32_t node, std::uint32_t host) const {
        return route[std::uint64_t{node - hosts} * hosts + host];
    }
};

// A host's card, and the port of the switch that it is plugged into.
struct Plug {
    LinkSettings card;
    LinkSettings port;
};

// Two hosts and a cable.
Topology crossover(const LinkSettings& card);

// One switch, or as large a backplane as its ports need. `shared_bytes` of 0: each port has a buffer of its own.
Topology one_switch(std::uint32_t hosts, Plug plug, std::uint64_t shared_bytes, double alpha);

// Small switches that reach each other through a fabric, each by one link up and one down (Kutzner et al. 2007: 48
// ports are four switches of 12). `sub_switch_of_host` says where each host is plugged in.
Topology switch_of_switches(const std::vector<std::uint32_t>& sub_switch_of_host, Plug plug,
                            const LinkSettings& uplink);

}  // namespace clearway::simulator
