#include "simulator/network/topology_builder.hpp"

namespace clearway::simulator {

TopologyBuilder::TopologyBuilder(std::uint32_t hosts, std::uint32_t switches, const SwitchMemory& memory) {
    topology_.hosts = hosts;
    topology_.switches = switches;
    topology_.links.resize(hosts);
    topology_.route.resize(std::uint64_t{switches} * hosts);
    if (memory.bytes != 0) topology_.shared_buffers.assign(switches, {.bytes = memory.bytes, .alpha = memory.alpha});
}

void TopologyBuilder::plug_in(std::uint32_t host, std::uint32_t switch_index, const Plug& plug) {
    const std::uint32_t port = add_out_of_switch(switch_index, plug.port, host, host);
    topology_.links[host] = {plug.card, node_of(switch_index), port};
}

void TopologyBuilder::join_hosts(const LinkSettings& card) {
    topology_.links[0] = {card, 1, 1};
    topology_.links[1] = {card, 0, 0};
}

TopologyBuilder::Cables TopologyBuilder::join(std::uint32_t lower, const std::vector<std::uint32_t>& upper,
                                              const LinkSettings& settings) {
    const auto count = static_cast<std::uint32_t>(upper.size());
    const auto first = static_cast<std::uint32_t>(topology_.links.size());
    for (std::uint32_t i = 0; i < count; ++i) add_out_of_switch(lower, settings, node_of(upper[i]), first + count + i);
    for (std::uint32_t i = 0; i < count; ++i) add_out_of_switch(upper[i], settings, node_of(lower), first + i);
    return {first, first + count, count};
}

std::uint32_t TopologyBuilder::add_out_of_switch(std::uint32_t switch_index, LinkSettings settings,
                                                 std::uint32_t to_node, std::uint32_t reverse) {
    if (!topology_.shared_buffers.empty()) settings.shared_buffer = switch_index;
    topology_.links.push_back({settings, to_node, reverse});
    return static_cast<std::uint32_t>(topology_.links.size() - 1);
}

void TopologyBuilder::lead(std::uint32_t switch_index, std::uint32_t host, const Bundle& bundle) {
    topology_.route[std::uint64_t{switch_index} * topology_.hosts + host] = bundle;
}

}  // namespace clearway::simulator
