#include "simulator/network/topology.hpp"

#include <algorithm>

#include "simulator/events/random.hpp"
#include "simulator/network/topology_builder.hpp"

namespace clearway::simulator {

std::uint32_t Topology::choose(std::uint32_t node, std::uint32_t flow) const {
    return static_cast<std::uint32_t>(Random(flow_seed ^ std::uint64_t{node} << 32 ^ flow).next() >> 32);
}

Topology crossover(const LinkSettings& card) {
    TopologyBuilder builder(2, 0, {});
    builder.join_hosts(card);
    return builder.finish();
}

Topology one_switch(std::uint32_t hosts, const Plug& plug, const SwitchMemory& memory) {
    TopologyBuilder builder(hosts, 1, memory);
    for (std::uint32_t host = 0; host < hosts; ++host) builder.plug_in(host, 0, plug);
    for (std::uint32_t host = 0; host < hosts; ++host) builder.lead(0, host, builder.port_of(host));
    return builder.finish();
}

Topology switch_of_switches(const std::vector<std::uint32_t>& sub_switch_of_host, const Plug& plug,
                            const std::vector<LinkSettings>& uplinks, const SwitchMemory& memory) {
    const auto hosts = static_cast<std::uint32_t>(sub_switch_of_host.size());
    const std::uint32_t fabric = *std::ranges::max_element(sub_switch_of_host) + 1;
    TopologyBuilder builder(hosts, fabric + 1, memory);
    for (std::uint32_t host = 0; host < hosts; ++host) builder.plug_in(host, sub_switch_of_host[host], plug);
    std::vector<TopologyBuilder::Cables> cables;
    for (std::uint32_t i = 0; i < fabric; ++i) cables.push_back(builder.join(i, {fabric}, uplinks[i]));
    for (std::uint32_t host = 0; host < hosts; ++host) {
        const std::uint32_t own = sub_switch_of_host[host];
        for (std::uint32_t i = 0; i < fabric; ++i)
            builder.lead(i, host, i == own ? builder.port_of(host) : cables[i].there());
        builder.lead(fabric, host, cables[own].back(0));
    }
    return builder.finish();
}

}  // namespace clearway::simulator
