// Kim, Dally, Scott, Abts 2008 (Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA). Packets go the shortest
// way: to the router of the group that has the link to the other group, over it, and to the host's router. Real ones
// may go round by a third group where that link is busy (UGAL); this one does not.
#include <numeric>

#include "simulator/network/topology_builder.hpp"

namespace clearway::simulator {

namespace {

class Wiring {
public:
    Wiring(std::uint32_t hosts, const Dragonfly& shape, const LinkSettings& uplink, TopologyBuilder& builder)
        : shape_(shape),
          groups_((hosts + shape.hosts_a_router * shape.routers_a_group - 1) /
                  (shape.hosts_a_router * shape.routers_a_group)),
          local_(std::size_t{groups_} * shape.routers_a_group * shape.routers_a_group),
          global_(std::size_t{groups_} * groups_) {
        for (std::uint32_t group = 0; group < groups_; ++group) {
            join_routers(group, uplink, builder);
            join_groups(group, uplink, builder);
        }
    }

    // How one router sends what is for another.
    Bundle way(std::uint32_t router, std::uint32_t target) const {
        const std::uint32_t group = group_of(router), other = group_of(target);
        if (group == other) return local(router, target);
        const Exit& exit = global_[std::size_t{group} * groups_ + other];
        return exit.router == router ? exit.link : local(router, exit.router);
    }

private:
    // Of a group to another one.
    struct Exit {
        std::uint32_t router;
        Bundle link;
    };

    std::uint32_t group_of(std::uint32_t router) const { return router / shape_.routers_a_group; }
    const Bundle& local(std::uint32_t router, std::uint32_t other) const {
        return local_[std::size_t{router} * shape_.routers_a_group + other % shape_.routers_a_group];
    }

    // Each with all others of its group.
    void join_routers(std::uint32_t group, const LinkSettings& uplink, TopologyBuilder& builder) {
        const std::uint32_t routers = shape_.routers_a_group;
        for (std::uint32_t index = 0; index < routers; ++index) {
            const std::uint32_t router = group * routers + index;
            std::vector<std::uint32_t> later(routers - index - 1);
            std::iota(later.begin(), later.end(), router + 1);
            const TopologyBuilder::Cables cables = builder.join(router, later, uplink);
            for (std::uint32_t i = 0; i < later.size(); ++i) {
                local_[std::size_t{router} * routers + index + 1 + i] = {cables.first_there + i, 1};
                local_[std::size_t{later[i]} * routers + index] = cables.back(i);
            }
        }
    }

    // The k-th link of a group leads to the group k + 1 further, which has it as its k-th from the end.
    void join_groups(std::uint32_t group, const LinkSettings& uplink, TopologyBuilder& builder) {
        const std::uint32_t links = shape_.routers_a_group * shape_.links_a_router;
        for (std::uint32_t other = group + 1; other < groups_; ++other) {
            const std::uint32_t link = other - group - 1;
            const std::uint32_t here = group * shape_.routers_a_group + link / shape_.links_a_router;
            const std::uint32_t there = other * shape_.routers_a_group + (links - 1 - link) / shape_.links_a_router;
            const TopologyBuilder::Cables cable = builder.join(here, {there}, uplink);
            global_[std::size_t{group} * groups_ + other] = {here, cable.there()};
            global_[std::size_t{other} * groups_ + group] = {there, cable.back(0)};
        }
    }

    const Dragonfly shape_;
    const std::uint32_t groups_;
    std::vector<Bundle> local_;  // by router and place in its group
    std::vector<Exit> global_;   // by group and other group
};

}  // namespace

Topology dragonfly(std::uint32_t hosts, const Dragonfly& shape, const Plug& plug, const LinkSettings& uplink,
                   const SwitchMemory& memory) {
    const std::uint32_t a_group = shape.hosts_a_router * shape.routers_a_group;
    const std::uint32_t routers = (hosts + a_group - 1) / a_group * shape.routers_a_group;
    TopologyBuilder builder(hosts, routers, memory);
    for (std::uint32_t host = 0; host < hosts; ++host) builder.plug_in(host, host / shape.hosts_a_router, plug);
    const Wiring wiring(hosts, shape, uplink, builder);
    for (std::uint32_t host = 0; host < hosts; ++host) {
        const std::uint32_t own = host / shape.hosts_a_router;
        for (std::uint32_t router = 0; router < routers; ++router)
            builder.lead(router, host, router == own ? builder.port_of(host) : wiring.way(router, own));
    }
    Topology topology = builder.finish();
    for (std::uint32_t host = 0; host < hosts; ++host) topology.group_of_node.push_back(host / a_group);
    for (std::uint32_t router = 0; router < routers; ++router)
        topology.group_of_node.push_back(router / shape.routers_a_group);
    return topology;
}

}  // namespace clearway::simulator
