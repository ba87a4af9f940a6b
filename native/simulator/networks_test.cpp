// What holds on every kind of network: nothing is lost but in full buffers, nothing comes too early, and the same seed
// gives the same trace.
#include <gtest/gtest.h>

#include "simulator/network/flow_control.hpp"
#include "simulator/simulation.hpp"
#include "simulator/testing/auditor.hpp"

namespace clearway::simulator {
namespace {

constexpr std::uint32_t kHosts = 12;
constexpr std::uint64_t kBlockBytes = 30'000;
constexpr std::uint64_t kPortBytes = 20'000;

struct NetworkKind {
    std::string_view name;
    Topology (*make)(const Plug& plug, const LinkSettings& uplink);
};

constexpr NetworkKind kKinds[] = {
    {"one_switch", [](const Plug& plug, const LinkSettings&) { return one_switch(kHosts, plug, {}); }},
    {"sub_switches",
     [](const Plug& plug, const LinkSettings& uplink) {
         return switch_of_switches({0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2}, plug, {uplink, uplink, uplink}, {});
     }},
    {"leaf_spine",
     [](const Plug& plug, const LinkSettings& uplink) {
         return leaf_spine(kHosts, {4, 2}, plug, uplink, {});
     }},
    {"fat_tree", [](const Plug& plug, const LinkSettings& uplink) { return fat_tree(kHosts, 4, plug, uplink, {}); }},
};

Scenario scenario_on(const NetworkKind& kind, bool is_lossless, bool cuts_through, std::uint64_t seed) {
    Scenario scenario;
    const LinkSettings card{.rate_bps = 1'000'000'000, .latency_ns = 2'000};
    LinkSettings port = card;
    port.buffer_bytes = kPortBytes;
    scenario.topology = kind.make({card, port}, port);
    scenario.topology.cuts_through = cuts_through;
    scenario.topology.flow_seed = seed;
    if (is_lossless) make_lossless(scenario.topology, scenario.framing, scenario.tcp.segment_bytes, true);
    scenario.noise.skew_ns = 20'000;
    scenario.problem.placement = schedule::place_in_blocks(std::vector<std::uint32_t>(kHosts, 1));
    scenario.problem.block_bytes = {kBlockBytes};
    EXPECT_TRUE(parse("lam", scenario.candidate));
    scenario.calls = 2;
    scenario.seed = seed;
    return scenario;
}

struct Audited {
    Outcome outcome;
    std::uint64_t digest;
    std::uint64_t payload;
    std::uint64_t under_way;  // packets, when the last call had ended
};

Audited audited(const Scenario& scenario) {
    Auditor auditor(scenario.topology, scenario.framing);
    Simulation simulation(scenario);
    simulation.watch(&auditor);
    const Outcome outcome = simulation.run();
    EXPECT_FALSE(outcome.is_stuck);
    return {outcome, auditor.digest(), auditor.payload(), auditor.under_way()};
}

class EachNetwork : public testing::TestWithParam<NetworkKind> {};
INSTANTIATE_TEST_SUITE_P(Table, EachNetwork, testing::ValuesIn(kKinds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(EachNetwork, MovesAllBytesNoneBeforeItsTime) {
    for (const bool is_lossless : {false, true})
        for (const bool cuts_through : {false, true}) {
            const Audited run = audited(scenario_on(GetParam(), is_lossless, cuts_through, 1));
            const std::uint64_t asked = 2 * kHosts * (kHosts - 1) * kBlockBytes;
            EXPECT_GE(run.payload, asked);
            const NetworkCounts& counts = run.outcome.network;
            EXPECT_EQ(counts.sent, counts.arrived + counts.drops + run.under_way);
        }
}

// Everything at once overruns ports of 20,000 bytes; told to stop in time, nobody does.
TEST_P(EachNetwork, DropsNothingWherePortsSayStop) {
    EXPECT_GT(audited(scenario_on(GetParam(), false, false, 1)).outcome.network.drops, 0U);
    const Audited lossless = audited(scenario_on(GetParam(), true, false, 1));
    EXPECT_EQ(lossless.outcome.network.drops, 0U);
    EXPECT_EQ(lossless.outcome.tcp.timeouts, 0U);
    EXPECT_GT(lossless.outcome.network.stops, 0U);
}

// RDMA loses nothing, and sends nothing twice, whether links have credits or ports say stop.
TEST_P(EachNetwork, QueuePairsSendEachByteOnce) {
    for (const bool has_credits : {false, true}) {
        Scenario scenario = scenario_on(GetParam(), !has_credits, true, 1);
        scenario.topology.has_credits = has_credits;
        scenario.rdma = {.mtu_bytes = 1'024, .most_copied_bytes = 10'000};
        scenario.mpi.eager_bytes = 10'000;
        const Audited run = audited(scenario);
        EXPECT_EQ(run.outcome.network.drops, 0U);
        // Each message asks first, and is granted: three headers.
        const std::uint64_t messages = 2 * kHosts * (kHosts - 1);
        EXPECT_EQ(run.payload, messages * (kBlockBytes + 3 * scenario.mpi.header_bytes));
        EXPECT_EQ(run.outcome.tcp.acknowledgements, 3 * messages);
    }
}

// Where only hosts are told to stop, what parts of a switch send one another finds their memory full.
TEST(SubSwitches, DropWhereTheyDoNotStopOneAnother) {
    Scenario scenario = scenario_on(kKinds[1], false, false, 1);
    make_lossless(scenario.topology, scenario.framing, scenario.tcp.segment_bytes, false);
    const NetworkCounts among_parts = audited(scenario).outcome.network;
    EXPECT_GT(among_parts.drops, 0U);
    EXPECT_GT(among_parts.stops, 0U);
    scenario = scenario_on(kKinds[0], false, false, 1);
    make_lossless(scenario.topology, scenario.framing, scenario.tcp.segment_bytes, false);
    EXPECT_EQ(audited(scenario).outcome.network.drops, 0U);
}

TEST_P(EachNetwork, IsTheSameForTheSameSeedOnly) {
    for (const bool is_lossless : {false, true}) {
        const auto digest = [&](std::uint64_t seed) {
            return audited(scenario_on(GetParam(), is_lossless, false, seed)).digest;
        };
        EXPECT_EQ(digest(1), digest(1));
        EXPECT_NE(digest(1), digest(2));
    }
}

}  // namespace
}  // namespace clearway::simulator
