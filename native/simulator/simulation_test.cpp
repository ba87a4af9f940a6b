// What every simulated call keeps, whatever the network and the algorithm.
#include "simulator/simulation.hpp"

#include <gtest/gtest.h>

#include "simulator/testing/auditor.hpp"

namespace clearway::simulator {
namespace {

Scenario scenario_of(std::string_view candidate, std::uint32_t hosts, std::uint32_t ranks_a_host, std::uint64_t bytes,
                     std::uint64_t port_bytes, std::uint64_t seed) {
    const LinkSettings card{.rate_bps = 1'000'000'000, .latency_ns = 10'000};
    LinkSettings port = card;
    port.buffer_bytes = port_bytes;
    Scenario scenario;
    scenario.topology = one_switch(hosts, {card, port}, {});
    scenario.noise.skew_ns = 20'000;
    scenario.problem.placement = schedule::place_in_blocks(std::vector<std::uint32_t>(hosts, ranks_a_host));
    scenario.problem.block_bytes = {bytes};
    EXPECT_TRUE(parse(candidate, scenario.candidate));
    scenario.calls = 3;
    scenario.seed = seed;
    return scenario;
}

std::uint64_t digest_of(const Scenario& scenario) {
    Auditor auditor(scenario.topology, scenario.framing);
    Simulation simulation(scenario);
    simulation.watch(&auditor);
    EXPECT_FALSE(simulation.run().is_stuck);
    return auditor.digest();
}

constexpr std::string_view kCandidates[] = {"lam",
                                            "direct",
                                            "ordered",
                                            "ordered+barrier",
                                            "pairwise+token:12000,chunk:8000",
                                            "ordered+token:12000,chunk:8000",
                                            "node_ordered+token:6000,chunk:4000",
                                            "port_pairs+token:12000,chunk:8000",
                                            "ordered+credits:8000",
                                            "lam+credits:12000,chunk:4000",
                                            "direct,chunk:8000,pace:50000000",
                                            "hierarchical",
                                            "bruck"};

class EachCandidate : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Table, EachCandidate, testing::ValuesIn(kCandidates),
                         [](const auto& test) { return "number" + std::to_string(test.index); });

// The sum of what arrived at hosts can only exceed the messages by what TCP sent twice without need.
TEST_P(EachCandidate, MovesAllBytesNoneBeforeItsTime) {
    for (const auto& [hosts, ranks_a_host] : {std::pair(2U, 1U), std::pair(5U, 1U), std::pair(4U, 2U)})
        for (const std::uint64_t bytes :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5'000}, std::uint64_t{100'000}})
            for (const std::uint64_t port_bytes : {std::uint64_t{6'000}, std::uint64_t{64'000}}) {
                const Scenario scenario =
                    scenario_of(GetParam(), hosts, ranks_a_host, bytes, port_bytes, bytes + hosts);
                Auditor auditor(scenario.topology, scenario.framing);
                Simulation simulation(scenario);
                simulation.watch(&auditor);
                const Outcome outcome = simulation.run();
                ASSERT_FALSE(outcome.is_stuck);
                ASSERT_EQ(outcome.calls.size(), scenario.calls);
                const std::uint64_t pairs = hosts * (hosts - 1) * ranks_a_host * ranks_a_host;
                EXPECT_GE(auditor.payload(), scenario.calls * pairs * bytes);
                const std::uint64_t resent_at_most = outcome.tcp.resent * scenario.tcp.segment_bytes;
                if (GetParam() == "lam" || GetParam() == "direct") {
                    const std::uint64_t headers = 3 * pairs * scenario.calls * scenario.mpi.header_bytes;
                    EXPECT_LE(auditor.payload(), scenario.calls * pairs * bytes + headers + resent_at_most);
                }
                if (outcome.network.drops == 0) {
                    EXPECT_EQ(outcome.tcp.timeouts, 0U);
                }
            }
}

TEST_P(EachCandidate, IsTheSameForTheSameSeedOnly) {
    const auto digest = [&](std::uint64_t seed) {
        return digest_of(scenario_of(GetParam(), 6, 1, 30'000, 20'000, seed));
    };
    EXPECT_EQ(digest(1), digest(1));
    EXPECT_NE(digest(1), digest(2));
}

// No call ends before the wire can have carried what one rank must send.
TEST_P(EachCandidate, IsNotFasterThanTheWire) {
    const Scenario scenario = scenario_of(GetParam(), 8, 1, 50'000, kUnlimited, 1);
    const std::uint64_t wire_ns = 7 * 50'000 * 8;
    for (const CallOutcome& call : Simulation(scenario).run().calls) EXPECT_GT(call.duration_ns, wire_ns);
}

// The ordered exchange needs hardly more than the wire does; everything at once overruns a small port and waits for
// timeouts (Kutzner et al. 2007, Fig. 3).
TEST(Simulation, TheCollapseAndItsCure) {
    const auto slowest_ns = [](std::string_view candidate) {
        std::uint64_t slowest = 0;
        for (const CallOutcome& call : Simulation(scenario_of(candidate, 8, 1, 64'000, 64'000, 1)).run().calls)
            slowest = std::max(slowest, call.duration_ns);
        return slowest;
    };
    const std::uint64_t wire_ns = 7 * 64'000 * 8;
    EXPECT_LT(slowest_ns("ordered+barrier"), wire_ns * 3 / 2);
    EXPECT_GT(slowest_ns("lam"), 200'000'000U);
}

// Above the eager limit a message asks first: one message takes a round trip longer.
TEST(Simulation, RendezvousCostsARoundTrip) {
    Scenario scenario = scenario_of("ordered", 2, 1, 10'000, kUnlimited, 1);
    scenario.noise.skew_ns = 0;
    scenario.calls = 1;
    scenario.mpi.eager_bytes = 10'000;
    const std::uint64_t eager_ns = Simulation(scenario).run().calls[0].duration_ns;
    scenario.mpi.eager_bytes = 9'999;
    const std::uint64_t rendezvous_ns = Simulation(scenario).run().calls[0].duration_ns;
    const std::uint64_t frame_ns = (48 + 52 + 18 + 20) * 8;  // a header alone, over two links of 10 µs
    EXPECT_NEAR(static_cast<double>(rendezvous_ns - eager_ns), 4 * (frame_ns + 10'000), 2 * frame_ns);
    scenario.mpi.confirms_bodies = true;  // and one more
    const std::uint64_t confirmed_ns = Simulation(scenario).run().calls[0].duration_ns;
    EXPECT_NEAR(static_cast<double>(confirmed_ns - rendezvous_ns), 4 * (frame_ns + 10'000), 2 * frame_ns);
}

// What a core does takes its time: here 1 ms for each of 7 sends and 7 receives.
TEST(Simulation, TheCoreTakesItsTimeForEachMessage) {
    Scenario scenario = scenario_of("direct", 8, 1, 100, kUnlimited, 1);
    scenario.mpi.message_ns = 1'000'000;
    for (const CallOutcome& call : Simulation(scenario).run().calls) {
        EXPECT_GE(call.duration_ns, 14'000'000U);
        EXPECT_LT(call.duration_ns, 16'000'000U);
    }
}

// Eight ranks with 14 messages each share two cores.
TEST(Simulation, RanksMayShareCores) {
    Scenario scenario = scenario_of("direct", 8, 1, 100, kUnlimited, 1);
    scenario.mpi.message_ns = 1'000'000;
    scenario.noise.cores = 2;
    for (const CallOutcome& call : Simulation(scenario).run().calls) {
        EXPECT_GE(call.duration_ns, 56'000'000U);
        EXPECT_LT(call.duration_ns, 60'000'000U);
    }
}

// Ranks that are ready up to 1 s apart wait for one another before the call, and time it without that.
TEST(Simulation, ABarrierBeforeACallIsNotOfItsTime) {
    Scenario scenario = scenario_of("ordered", 8, 1, 50'000, kUnlimited, 1);
    scenario.noise.skew_ns = 0;
    const std::uint64_t together_ns = Simulation(scenario).run().calls[0].duration_ns;
    scenario.noise.skew_ns = 1'000'000'000;
    EXPECT_GT(Simulation(scenario).run().calls[0].duration_ns, 100 * together_ns);
    scenario.meeting.barrier = Barrier::dissemination;
    for (const CallOutcome& call : Simulation(scenario).run().calls) EXPECT_LT(call.duration_ns, 2 * together_ns);
}

// Who lets the others go is a latency ahead of them, and waits for their messages a latency longer.
TEST(Simulation, TheRootOfALinearBarrierIsEarly) {
    Scenario scenario = scenario_of("direct", 4, 1, 64, kUnlimited, 1);
    for (TopologyLink& link : scenario.topology.links) link.settings.latency_ns = 5'000'000;
    scenario.noise.skew_ns = 0;
    const auto call_ms = [&](Barrier barrier) {
        scenario.meeting.barrier = barrier;
        return Simulation(scenario).run().calls.back().duration_ns / 1'000'000;
    };
    EXPECT_EQ(call_ms(Barrier::dissemination), 10U);
    EXPECT_EQ(call_ms(Barrier::linear), 20U);
    scenario.meeting.gathers_first = true;
    EXPECT_EQ(call_ms(Barrier::linear), 20U);
    EXPECT_EQ(call_ms(Barrier::dissemination), 10U);
}

// Of ranks beyond a power of two each hears a latency later than others that it may go.
TEST(Simulation, BeyondAPowerOfTwoRanksLeaveADoublingBarrierLate) {
    const auto call_ms = [&](std::uint32_t ranks, Barrier barrier) {
        Scenario scenario = scenario_of("direct", ranks, 1, 64, kUnlimited, 1);
        for (TopologyLink& link : scenario.topology.links) link.settings.latency_ns = 5'000'000;
        scenario.noise.skew_ns = 0;
        scenario.meeting.barrier = barrier;
        return Simulation(scenario).run().calls.back().duration_ns / 1'000'000;
    };
    for (const std::uint32_t ranks : {4U, 8U}) EXPECT_EQ(call_ms(ranks, Barrier::doubling), 10U);
    for (const std::uint32_t ranks : {3U, 5U, 6U, 12U}) {
        EXPECT_EQ(call_ms(ranks, Barrier::dissemination), 10U);
        EXPECT_EQ(call_ms(ranks, Barrier::doubling), 20U);
    }
    EXPECT_EQ(call_ms(7, Barrier::doubling), 30U);  // rank 0 leaves two latencies before rank 6, as under Intel MPI
}

TEST(Simulation, NobodyLeavesADoublingBarrierBeforeAllHaveCome) {
    for (std::uint32_t ranks = 2; ranks <= 9; ++ranks) {
        Scenario scenario = scenario_of("direct", ranks, 1, 1'000, kUnlimited, 1);
        scenario.noise.skew_ns = 1'000'000'000;
        scenario.meeting.barrier = Barrier::doubling;
        const Outcome outcome = Simulation(scenario).run();
        EXPECT_FALSE(outcome.is_stuck);
        for (const CallOutcome& call : outcome.calls) EXPECT_LT(call.duration_ns, 10'000'000U);
    }
}

// Benchmarks check their first call, and begin it as ranks come; those after it they time, and meet before each.
TEST(Simulation, WhereTimesAreGatheredTheFirstCallIsNotMet) {
    Scenario scenario = scenario_of("direct", 4, 1, 64, kUnlimited, 1);
    scenario.noise.skew_ns = 100'000'000;
    scenario.meeting = {.barrier = Barrier::dissemination, .gathers_first = true};
    const std::vector<CallOutcome> calls = Simulation(scenario).run().calls;
    EXPECT_GT(calls[0].duration_ns, 10'000'000U);
    EXPECT_LT(calls[1].duration_ns, 1'000'000U);
    EXPECT_LT(calls[2].duration_ns, 1'000'000U);
}

// Who ends a call early begins the next early, as far as the latency of the barrier lets it: then it asks others that
// do not answer yet, and long messages between two go one after the other. So ranks that have once been out of step
// stay so.
TEST(Simulation, WhoEndsACallEarlyBeginsTheNextEarly) {
    Scenario scenario = scenario_of("direct", 8, 1, 26'000, kUnlimited, 1);
    for (TopologyLink& link : scenario.topology.links) link.settings.rate_bps = 12'000'000;
    for (TopologyLink& link : scenario.topology.links) link.settings.latency_ns = 3'300'000;
    scenario.mpi.eager_bytes = 18'000;
    scenario.tcp.card_queue_bytes = 9'000;
    scenario.meeting = {.barrier = Barrier::dissemination, .gathers_first = true};
    scenario.calls = 10;
    const auto last_ns = [&](std::uint64_t skew_ns) {
        scenario.noise.skew_ns = skew_ns;
        return Simulation(scenario).run().calls.back().duration_ns;
    };
    EXPECT_GT(last_ns(20'000'000), last_ns(0) * 5 / 4);
}

// A bucket that has passed a message at once fills again while ranks tell one another what the last call took.
TEST(Simulation, BucketsFillWhileRanksMeet) {
    Scenario scenario = scenario_of("direct", 3, 1, 1'200, kUnlimited, 1);
    for (TopologyLink& link : scenario.topology.links)
        link.settings = {.rate_bps = 6'000'000, .latency_ns = 200'000, .burst_bytes = 3'200};
    scenario.noise.skew_ns = 0;
    scenario.meeting.barrier = Barrier::dissemination;
    const std::uint64_t alone_ns = Simulation(scenario).run().calls.back().duration_ns;
    scenario.meeting.gathers_first = true;
    EXPECT_LT(Simulation(scenario).run().calls.back().duration_ns, alone_ns);
}

// Two long messages between two ranks share a connection. Who begins 1 ms later grants the other's message at once, and
// has its own granted behind it: one after the other, not both at once.
TEST(Simulation, AGrantWaitsBehindAMessage) {
    Scenario scenario = scenario_of("ordered", 2, 1, 500'000, kUnlimited, 1);
    scenario.calls = 1;
    scenario.noise.skew_ns = 0;
    const std::uint64_t together_ns = Simulation(scenario).run().calls[0].duration_ns;
    scenario.noise.skew_ns = 1'000'000;
    const std::uint64_t apart_ns = Simulation(scenario).run().calls[0].duration_ns;
    EXPECT_GT(apart_ns, together_ns * 3 / 2);
    scenario.mpi.eager_bytes = 500'000;
    EXPECT_LT(Simulation(scenario).run().calls[0].duration_ns, together_ns * 3 / 2);
}

// Ports that mark from 15,000 bytes on keep long messages from filling 64,000: RFC 3168 and DCTCP against drop-tail.
TEST(Simulation, MarksSaveDrops) {
    Scenario scenario = scenario_of("direct", 8, 1, 200'000, 64'000, 1);
    const auto drops = [&](Congestion congestion, bool has_marks) {
        scenario.tcp.congestion = congestion;
        scenario.tcp.has_ecn = has_marks;
        for (TopologyLink& link : scenario.topology.links)
            if (link.settings.buffer_bytes != kUnlimited) link.settings.mark_bytes = has_marks ? 15'000 : kUnlimited;
        return Simulation(scenario).run().network.drops;
    };
    EXPECT_LT(drops(Congestion::cubic, true), drops(Congestion::cubic, false) / 2);
    EXPECT_LT(drops(Congestion::dctcp, true), drops(Congestion::reno, false) / 2);
}

TEST(Simulation, NoiseDelays) {
    Scenario scenario = scenario_of("ordered", 8, 1, 1'000, kUnlimited, 1);
    scenario.mpi.message_ns = 10'000;
    const std::uint64_t quiet_ns = Simulation(scenario).run().calls[0].duration_ns;
    scenario.noise.period_ns = 50'000;
    scenario.noise.detour_ns = 50'000;
    EXPECT_GT(Simulation(scenario).run().calls[0].duration_ns, quiet_ns);
}

}  // namespace
}  // namespace clearway::simulator
