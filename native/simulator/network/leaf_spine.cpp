#include <numeric>

#include "simulator/network/topology_builder.hpp"

namespace clearway::simulator {

Topology leaf_spine(std::uint32_t hosts, const LeafSpine& shape, const Plug& plug, const LinkSettings& uplink,
                    const SwitchMemory& memory) {
    const std::uint32_t leaves = (hosts + shape.hosts_a_leaf - 1) / shape.hosts_a_leaf;
    TopologyBuilder builder(hosts, leaves + shape.spines, memory);
    for (std::uint32_t host = 0; host < hosts; ++host) builder.plug_in(host, host / shape.hosts_a_leaf, plug);
    std::vector<std::uint32_t> spines(shape.spines);
    std::iota(spines.begin(), spines.end(), leaves);
    std::vector<TopologyBuilder::Cables> up;
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) up.push_back(builder.join(leaf, spines, uplink));
    for (std::uint32_t host = 0; host < hosts; ++host) {
        const std::uint32_t own = host / shape.hosts_a_leaf;
        for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
            builder.lead(leaf, host, leaf == own ? builder.port_of(host) : up[leaf].there());
        for (std::uint32_t spine = 0; spine < shape.spines; ++spine)
            builder.lead(spines[spine], host, up[own].back(spine));
    }
    return builder.finish();
}

}  // namespace clearway::simulator
