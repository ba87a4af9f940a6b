#include "simulator/network/topology.hpp"

#include <algorithm>

namespace clearway::simulator {

namespace {

std::uint32_t add_link(Topology& topology, const LinkSettings& settings, std::uint32_t to_node) {
    topology.links.push_back({settings, to_node});
    return static_cast<std::uint32_t>(topology.links.size() - 1);
}

}  // namespace

Topology crossover(const LinkSettings& card) {
    return {.hosts = 2, .switches = 0, .links = {{card, 1}, {card, 0}}, .route = {}, .pools = {}};
}

Topology one_switch(std::uint32_t hosts, Plug plug, std::uint64_t shared_bytes, double alpha) {
    Topology topology{.hosts = hosts, .switches = 1, .links = {}, .route = {}, .pools = {}};
    if (shared_bytes != 0) {
        topology.pools.push_back({.bytes = shared_bytes, .alpha = alpha});
        plug.port.pool = 0;
    }
    for (std::uint32_t host = 0; host < hosts; ++host) add_link(topology, plug.card, hosts);
    for (std::uint32_t host = 0; host < hosts; ++host) topology.route.push_back(add_link(topology, plug.port, host));
    return topology;
}

Topology switch_of_switches(const std::vector<std::uint32_t>& sub_switch_of_host, Plug plug,
                            const LinkSettings& uplink) {
    const auto hosts = static_cast<std::uint32_t>(sub_switch_of_host.size());
    const std::uint32_t sub_switches = *std::ranges::max_element(sub_switch_of_host) + 1;
    const std::uint32_t fabric = hosts + sub_switches;
    Topology topology{.hosts = hosts, .switches = sub_switches + 1, .links = {}, .route = {}, .pools = {}};
    std::vector<std::uint32_t> up, down, port;
    for (const std::uint32_t sub_switch : sub_switch_of_host) add_link(topology, plug.card, hosts + sub_switch);
    for (std::uint32_t host = 0; host < hosts; ++host) port.push_back(add_link(topology, plug.port, host));
    for (std::uint32_t i = 0; i < sub_switches; ++i) up.push_back(add_link(topology, uplink, fabric));
    for (std::uint32_t i = 0; i < sub_switches; ++i) down.push_back(add_link(topology, uplink, hosts + i));
    for (std::uint32_t i = 0; i < sub_switches; ++i)
        for (std::uint32_t host = 0; host < hosts; ++host)
            topology.route.push_back(sub_switch_of_host[host] == i ? port[host] : up[i]);
    for (const std::uint32_t sub_switch : sub_switch_of_host) topology.route.push_back(down[sub_switch]);
    return topology;
}

}  // namespace clearway::simulator
