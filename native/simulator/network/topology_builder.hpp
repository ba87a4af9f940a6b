// Makes a Topology, cable by cable. Switches are numbered from 0 here.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/network/topology.hpp"

namespace clearway::simulator {

class TopologyBuilder {
public:
    TopologyBuilder(std::uint32_t hosts, std::uint32_t switches, const SwitchMemory& memory);

    void plug_in(std::uint32_t host, std::uint32_t switch_index, const Plug& plug);
    void join_hosts(const LinkSettings& card);

    // Cables to several switches. Links to them follow one another, and so do those back.
    struct Cables {
        std::uint32_t first_there;
        std::uint32_t first_back;
        std::uint32_t count;
        Bundle there() const { return {first_there, count}; }
        Bundle back(std::uint32_t index) const { return {first_back + index, 1}; }
    };
    Cables join(std::uint32_t lower, const std::vector<std::uint32_t>& upper, const LinkSettings& settings);

    Bundle port_of(std::uint32_t host) const { return {topology_.links[host].reverse, 1}; }

    // Which way the switch sends what is for the host.
    void lead(std::uint32_t switch_index, std::uint32_t host, const Bundle& bundle);

    Topology finish() const { return topology_; }

private:
    std::uint32_t node_of(std::uint32_t switch_index) const { return topology_.hosts + switch_index; }
    std::uint32_t add_out_of_switch(std::uint32_t switch_index, LinkSettings settings, std::uint32_t to_node,
                                    std::uint32_t reverse);

    Topology topology_;
};

}  // namespace clearway::simulator
