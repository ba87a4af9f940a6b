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
    std::uint32_t reverse;  // the link in the other direction of the same cable
};

// Links that lead equally far (ECMP): a flow takes one of them, always the same.
struct Bundle {
    std::uint32_t first_link;
    std::uint32_t links;
};

struct Topology {
    std::uint32_t hosts = 0;
    std::uint32_t switches = 0;
    std::vector<TopologyLink> links;
    std::vector<Bundle> route;  // [switch × hosts + host]
    std::vector<SharedBuffer> shared_buffers;
    std::vector<std::uint32_t> group_of_node;  // of a dragonfly, whose links have two lanes; empty: they have one
    bool is_lossless = false;                  // the links' stop_bytes are heeded
    bool has_credits = false;                  // links begin only what their other ends have room for
    bool arrivals_first = false;  // what comes to a port at the instant at which a packet leaves its queue is before it
    bool cuts_through = false;    // switches send a packet on when its head has come, where the next link is no faster
    std::uint64_t flow_seed = 0;  // of the switches' hash functions, and of what they mark

    // `flow` is any number that the packets of one direction of a connection have in common.
    std::uint32_t next_link(std::uint32_t node, std::uint32_t host, std::uint32_t flow) const {
        const Bundle& bundle = route[std::uint64_t{node - hosts} * hosts + host];
        return bundle.links == 1 ? bundle.first_link : bundle.first_link + choose(node, flow) % bundle.links;
    }

    // Packets that have come to the group of their host take another lane of its links, so that groups never wait for
    // one another in a circle: Kim et al. 2008, section 4.1.
    std::uint32_t lanes() const { return group_of_node.empty() ? 1 : 2; }
    std::uint16_t lane(std::uint32_t link, std::uint32_t host) const {
        if (group_of_node.empty()) return 0;
        const std::uint32_t from = links[links[link].reverse].to_node;
        return group_of_node[from] == group_of_node[host] ? 1 : 0;
    }

private:
    // Each switch has a hash function of its own: with the same one everywhere, flows that met once meet again.
    std::uint32_t choose(std::uint32_t node, std::uint32_t flow) const;
};

// A host's card, and the port of the switch that it is plugged into.
struct Plug {
    LinkSettings card;
    LinkSettings port;
};

// What switches with one memory for all ports have. `bytes` of 0: each port has a buffer of its own.
struct SwitchMemory {
    std::uint64_t bytes = 0;
    double alpha = 1;
};

// Two hosts and a cable.
Topology crossover(const LinkSettings& card);

// One switch, or as large a backplane as its ports need.
Topology one_switch(std::uint32_t hosts, const Plug& plug, const SwitchMemory& memory);

// Small switches that reach each other through a fabric, each by one link up and one down (Kutzner et al. 2007: 48
// ports are four switches of 12). `sub_switch_of_host` says where each host is plugged in; `uplinks` are those of each
// small switch.
Topology switch_of_switches(const std::vector<std::uint32_t>& sub_switch_of_host, const Plug& plug,
                            const std::vector<LinkSettings>& uplinks, const SwitchMemory& memory);

// Leaves of `hosts_a_leaf` ports, each with one uplink to each spine.
struct LeafSpine {
    std::uint32_t hosts_a_leaf;
    std::uint32_t spines;
};
Topology leaf_spine(std::uint32_t hosts, const LeafSpine& shape, const Plug& plug, const LinkSettings& uplink,
                    const SwitchMemory& memory);

// Three layers of switches with `ports` ports each (even), for up to ports³ / 4 hosts: Al-Fares, Loukissas, Vahdat
// 2008 (A scalable, commodity data center network architecture, SIGCOMM), Fig. 3.
Topology fat_tree(std::uint32_t hosts, std::uint32_t ports, const Plug& plug, const LinkSettings& uplink,
                  const SwitchMemory& memory);

constexpr std::uint64_t hosts_of_fat_tree(std::uint64_t ports) { return ports * ports * ports / 4; }

// Groups of routers that are all joined with one another, and so are the groups: Kim et al. 2008. `links_a_router` lead
// to other groups.
struct Dragonfly {
    std::uint32_t hosts_a_router;
    std::uint32_t routers_a_group;
    std::uint32_t links_a_router;
};
Topology dragonfly(std::uint32_t hosts, const Dragonfly& shape, const Plug& plug, const LinkSettings& uplink,
                   const SwitchMemory& memory);

constexpr std::uint64_t hosts_of_dragonfly(std::uint64_t hosts_a_router, std::uint64_t routers_a_group,
                                           std::uint64_t links_a_router) {
    return hosts_a_router * routers_a_group * (routers_a_group * links_a_router + 1);
}

}  // namespace clearway::simulator
