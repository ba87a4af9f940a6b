#include <algorithm>
#include <numeric>

#include "simulator/network/topology_builder.hpp"

namespace clearway::simulator {

namespace {

// Numbers of switches: `half` edge switches a pod, then as many aggregation switches, then half² core switches.
struct FatTree {
    std::uint32_t half;  // of a switch's ports: one half leads down, one up
    std::uint32_t pods;

    std::uint32_t edges() const { return pods * half; }
    std::uint32_t aggregation(std::uint32_t pod, std::uint32_t index) const { return edges() + pod * half + index; }
    std::uint32_t core(std::uint32_t index) const { return 2 * edges() + index; }
    std::uint32_t switches() const { return 2 * edges() + half * half; }
    std::uint32_t edge_of(std::uint32_t host) const { return host / half; }
    std::uint32_t pod_of(std::uint32_t host) const { return edge_of(host) / half; }
};

std::vector<std::uint32_t> numbers(std::uint32_t first, std::uint32_t count) {
    std::vector<std::uint32_t> all(count);
    std::iota(all.begin(), all.end(), first);
    return all;
}

}  // namespace

Topology fat_tree(std::uint32_t hosts, std::uint32_t ports, const Plug& plug, const LinkSettings& uplink,
                  const SwitchMemory& memory) {
    const std::uint32_t half = std::max(ports / 2, 1U);
    const FatTree tree{half, (hosts + half * half - 1) / (half * half)};
    TopologyBuilder builder(hosts, tree.switches(), memory);
    for (std::uint32_t host = 0; host < hosts; ++host) builder.plug_in(host, tree.edge_of(host), plug);
    std::vector<TopologyBuilder::Cables> up;  // of edge and aggregation switches, by number
    for (std::uint32_t edge = 0; edge < tree.edges(); ++edge)
        up.push_back(builder.join(edge, numbers(tree.aggregation(edge / half, 0), half), uplink));
    for (std::uint32_t i = 0; i < tree.edges(); ++i)
        up.push_back(builder.join(tree.edges() + i, numbers(tree.core(i % half * half), half), uplink));
    for (std::uint32_t host = 0; host < hosts; ++host) {
        const std::uint32_t own_edge = tree.edge_of(host);
        const std::uint32_t own_pod = tree.pod_of(host);
        for (std::uint32_t edge = 0; edge < tree.edges(); ++edge)
            builder.lead(edge, host, edge == own_edge ? builder.port_of(host) : up[edge].there());
        for (std::uint32_t pod = 0; pod < tree.pods; ++pod)
            for (std::uint32_t i = 0; i < half; ++i) {
                const std::uint32_t aggregation = tree.aggregation(pod, i);
                builder.lead(aggregation, host, pod == own_pod ? up[own_edge].back(i) : up[aggregation].there());
            }
        for (std::uint32_t i = 0; i < half * half; ++i)
            builder.lead(tree.core(i), host, up[tree.aggregation(own_pod, i / half)].back(i % half));
    }
    return builder.finish();
}

}  // namespace clearway::simulator
