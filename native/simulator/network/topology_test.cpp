#include "simulator/network/topology.hpp"

#include <gtest/gtest.h>

#include <set>

namespace clearway::simulator {
namespace {

constexpr LinkSettings kLink{.rate_bps = 1'000'000'000, .latency_ns = 3'000};
constexpr Plug kPlug{kLink, kLink};

// Links that a flow takes; fewer than 7, or it goes round in circles.
std::vector<std::uint32_t> path(const Topology& topology, std::uint32_t from, std::uint32_t to, std::uint32_t flow) {
    std::vector<std::uint32_t> links{from};
    while (topology.links[links.back()].to_node != to && links.size() < 7)
        links.push_back(topology.next_link(topology.links[links.back()].to_node, to, flow));
    return links;
}

void expect_paths(const Topology& topology, const auto& expected_links) {
    for (std::uint32_t from = 0; from < topology.hosts; ++from)
        for (std::uint32_t to = 0; to < topology.hosts; ++to)
            for (std::uint32_t flow = 0; flow < 5 && from != to; ++flow)
                EXPECT_EQ(path(topology, from, to, flow).size(), expected_links(from, to)) << from << " to " << to;
}

void expect_cables_have_two_ends(const Topology& topology) {
    for (std::uint32_t link = 0; link < topology.links.size(); ++link) {
        const std::uint32_t reverse = topology.links[link].reverse;
        EXPECT_NE(reverse, link);
        EXPECT_EQ(topology.links[reverse].reverse, link);
    }
}

TEST(Topology, LeavesAndSpines) {
    const Topology topology = leaf_spine(10, {4, 3}, kPlug, kLink, {});
    EXPECT_EQ(topology.switches, 3U + 3U);
    expect_paths(topology, [](auto from, auto to) { return from / 4 == to / 4 ? 2U : 4U; });
    expect_cables_have_two_ends(topology);
}

// With 4 ports a switch: 2 hosts an edge switch, 4 a pod.
TEST(Topology, AFatTree) {
    for (const std::uint32_t hosts : {3U, 10U, 16U}) {
        const Topology topology = fat_tree(hosts, 4, kPlug, kLink, {});
        expect_paths(topology, [](auto from, auto to) {
            return from / 2 == to / 2 ? 2U : from / 4 == to / 4 ? 4U : 6U;
        });
        expect_cables_have_two_ends(topology);
    }
    EXPECT_EQ(hosts_of_fat_tree(4), 16U);
    EXPECT_EQ(fat_tree(16, 4, kPlug, kLink, {}).switches, 20U);
}

// Two hosts a router, four routers a group, two links a router to other groups: up to nine groups of eight hosts.
TEST(Topology, ADragonfly) {
    for (const std::uint32_t hosts : {3U, 20U, 72U}) {
        const Topology topology = dragonfly(hosts, {2, 4, 2}, kPlug, kLink, {});
        expect_cables_have_two_ends(topology);
        for (std::uint32_t from = 0; from < hosts; ++from)
            for (std::uint32_t to = 0; to < hosts; ++to) {
                if (from == to) continue;
                const std::size_t links = path(topology, from, to, 0).size();
                if (from / 8 == to / 8) {
                    EXPECT_EQ(links, from / 2 == to / 2 ? 2U : 3U);
                } else {
                    EXPECT_TRUE(links >= 3 && links <= 5) << from << " to " << to;
                }
            }
    }
    // Each of nine groups: four routers, six cables between them, and half of eight cables to the others.
    EXPECT_EQ(dragonfly(72, {2, 4, 2}, kPlug, kLink, {}).links.size(), 2U * (72 + 9 * 6 + 9 * 4));
    EXPECT_EQ(hosts_of_dragonfly(2, 4, 2), 72U);
}

TEST(Topology, AFlowKeepsItsWayAndManyTakeAllWays) {
    Topology topology = leaf_spine(8, {4, 4}, kPlug, kLink, {});
    std::set<std::uint32_t> uplinks;
    std::vector<std::uint32_t> ways;
    for (std::uint32_t flow = 0; flow < 100; ++flow) {
        ways.push_back(path(topology, 0, 7, flow)[1]);
        EXPECT_EQ(path(topology, 0, 7, flow)[1], ways.back());
        uplinks.insert(ways.back());
    }
    EXPECT_EQ(uplinks.size(), 4U);
    topology.flow_seed = 1;
    std::uint32_t moved = 0;
    for (std::uint32_t flow = 0; flow < 100; ++flow) moved += path(topology, 0, 7, flow)[1] != ways[flow] ? 1 : 0;
    EXPECT_GT(moved, 0U);
}

TEST(Topology, EachSwitchHasItsMemory) {
    const Topology topology = leaf_spine(8, {4, 2}, kPlug, kLink, {.bytes = 100'000});
    ASSERT_EQ(topology.shared_buffers.size(), 4U);
    std::set<std::uint32_t> buffers;
    for (std::uint32_t link = topology.hosts; link < topology.links.size(); ++link)
        buffers.insert(topology.links[link].settings.shared_buffer);
    EXPECT_EQ(buffers, (std::set<std::uint32_t>{0, 1, 2, 3}));
    for (std::uint32_t host = 0; host < topology.hosts; ++host)
        EXPECT_EQ(topology.links[host].settings.shared_buffer, kNoSharedBuffer);
}

}  // namespace
}  // namespace clearway::simulator
