// Small jobs with hand-worked answers, and what every simulated job keeps.
#include "simulator/workload/job.hpp"

#include <gtest/gtest.h>

#include "workload/parse.hpp"

namespace clearway::simulator {
namespace {

// One frame of a message with so many bytes: its header, TCP/IP, Ethernet and the gap, at 1 Gbit/s.
constexpr std::uint64_t frame_ns(std::uint64_t bytes) { return (bytes + 48 + 52 + 18 + 20) * 8; }
constexpr std::uint64_t kLink_ns = 10'000;

JobScenario scenario_of(const std::string& text, std::uint32_t hosts, std::uint32_t ranks_a_host = 1) {
    const LinkSettings link{.rate_bps = 1'000'000'000, .latency_ns = kLink_ns};
    JobScenario scenario;
    workload::ScriptError error;
    EXPECT_TRUE(parse_script("clearway-script 1\n" + text, scenario.script, error))
        << error.line << ": " << error.message;
    scenario.topology = one_switch(hosts, {link, link}, {});
    scenario.placement = schedule::place_in_blocks(std::vector<std::uint32_t>(hosts, ranks_a_host));
    EXPECT_TRUE(parse("ordered", scenario.choices.alltoall));
    EXPECT_TRUE(parse("ring", scenario.choices.allgather));
    return scenario;
}

JobOutcome outcome_of(const JobScenario& scenario) {
    const JobOutcome outcome = Job(scenario).run();
    EXPECT_EQ(outcome.stuck, "");
    return outcome;
}

std::uint64_t duration_ns(const std::string& text, std::uint32_t hosts) {
    return outcome_of(scenario_of(text, hosts)).duration_ns;
}

// What each call tells when it has returned.
class Notebook final : public CallWatcher {
public:
    struct Line {
        std::uint32_t rank;
        workload::ActivityKind kind;
        std::uint32_t ordinal;
        std::uint64_t entry_ns, exit_ns;
        std::vector<MessageSeen> messages;
    };
    void called(const CallSeen& call) override {
        lines.push_back({call.rank,
                         call.activity->kind,
                         call.ordinal,
                         to_ns(call.entry),
                         to_ns(call.exit),
                         {call.messages.begin(), call.messages.end()}});
    }
    std::vector<Line> of(std::uint32_t rank) const {
        std::vector<Line> found;
        for (const Line& line : lines)
            if (line.rank == rank) found.push_back(line);
        return found;
    }
    std::vector<Line> lines;
};

TEST(Job, ComputingTakesItsTime) {
    EXPECT_EQ(duration_ns("ranks 2\nsteps 3\nrank 0\ncompute 1000\ncompute 500\nrank 1\ncompute 1200\n", 2), 4'500U);
}

TEST(Job, AMessageTakesTheWiresTime) {
    EXPECT_EQ(duration_ns("ranks 2\nrank 0\nsend 1 1000\nrank 1\nrecv 0 1000\n", 2), 2 * (frame_ns(1000) + kLink_ns));
}

TEST(Job, AReceiverThatComputesTakesItsMessageAfterwards) {
    EXPECT_EQ(duration_ns("ranks 2\nrank 0\nsend 1 1000\nrank 1\ncompute 5000000\nrecv 0 1000\n", 2), 5'000'000U);
}

TEST(Job, InsideAHostMessagesGoThroughMemory) {
    JobScenario scenario = scenario_of("ranks 2\nrank 0\nsend 1 1000\nrank 1\nrecv 0 1000\n", 1, 2);
    scenario.mpi.memory_latency_ns = 700;
    scenario.mpi.memory_kilobyte_ns = 90;
    EXPECT_EQ(outcome_of(scenario).duration_ns, 790U);
    EXPECT_EQ(outcome_of(scenario).network.hops, 0U);
}

// The second message of each pair is wanted first: tags and communicators tell them apart.
TEST(Job, MessagesMeetReceivesOfTheirTagAndCommunicator) {
    Notebook notebook;
    const JobScenario scenario = scenario_of(
        "ranks 2\ncomm both 0 1\nrank 0\nsend 1 10 tag 1\nsend 1 20 tag 2\nsend 1 30 comm both tag 1\n"
        "rank 1\nrecv 0 30 comm both tag 1\nrecv 0 20 tag 2\nrecv 0 10 tag 1\n",
        2);
    Job job(scenario);
    job.watch(&notebook);
    EXPECT_EQ(job.run().stuck, "");
    for (const auto& line : notebook.of(1)) EXPECT_EQ(line.messages.size(), 1U);
    EXPECT_EQ(notebook.of(1)[0].messages[0].bytes, 30U);
    EXPECT_EQ(notebook.of(1)[2].messages[0].bytes, 10U);
}

TEST(Job, CallsTellWhatTheyDid) {
    Notebook notebook;
    const JobScenario scenario = scenario_of(
        "ranks 2\nsteps 2\nrank 0\nirecv 1 7\ncompute 1000\nisend 1 9\nwaitall\nbarrier\n"
        "rank 1\nsendrecv 0 7 0 9\nbarrier\n",
        2);
    Job job(scenario);
    job.watch(&notebook);
    EXPECT_EQ(job.run().stuck, "");
    const auto lines = notebook.of(0);
    ASSERT_EQ(lines.size(), 8U);
    using What = MessageSeen::What;
    EXPECT_EQ(lines[0].messages[0].what, What::posted);
    EXPECT_EQ(lines[1].messages[0].what, What::sent);
    ASSERT_EQ(lines[2].messages.size(), 1U);  // that the send has ended tells nobody anything
    EXPECT_EQ(lines[2].messages[0].what, What::received);
    EXPECT_EQ(lines[2].messages[0].number, 0U);
    EXPECT_EQ(lines[6].messages[0].number, 1U);
    EXPECT_EQ(lines[3].ordinal, 0U);
    EXPECT_EQ(lines[7].ordinal, 1U);
    for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_GE(lines[i].entry_ns, lines[i - 1].exit_ns);
    EXPECT_EQ(notebook.of(1)[0].messages.size(), 2U);
}

// Rank 1's second message comes when it has heard of the first: whoever waits for both at once waits for ever.
TEST(Job, AWaitIsForTheRequestsThatItNames) {
    const std::string first =
        "ranks 2\nrank 0\nirecv 1 10 tag 1 request 4\nirecv 1 70000 tag 2 request 5\n"
        "rank 1\nsend 0 10 tag 1\nrecv 0 20\nsend 0 70000 tag 2\nrank 0\n";
    Notebook notebook;
    const JobScenario scenario = scenario_of(first + "wait 4\nsend 1 20\nwait 5\n", 2);
    Job job(scenario);
    job.watch(&notebook);
    EXPECT_EQ(job.run().stuck, "");
    const auto lines = notebook.of(0);
    ASSERT_EQ(lines.size(), 5U);
    for (const std::size_t at : {2U, 4U}) {
        ASSERT_EQ(lines[at].messages.size(), 1U);
        EXPECT_EQ(lines[at].messages[0].what, MessageSeen::What::received);
        EXPECT_EQ(lines[at].messages[0].bytes, at == 2 ? 10U : 70000U);
    }
    const JobOutcome stuck = Job(scenario_of(first + "waitall\nsend 1 20\n", 2)).run();
    EXPECT_EQ(stuck.stuck,
              "rank 0 waits for 70000 bytes from rank 1 (in waitall, its activity 3); rank 1 waits for 20 bytes from "
              "rank 0 (in recv, its activity 2)");
}

// Beyond the eager limit: the root's card sends the vector twice in MPICH's tree, and to each rank in Open MPI.
TEST(Job, ABcastIsThatOfItsMpi) {
    JobScenario scenario = scenario_of("ranks 4\nrank 0-3\nbcast 0 100000\n", 4);
    const std::uint64_t in_a_tree_ns = outcome_of(scenario).duration_ns;
    scenario.choices.library = Library::open_mpi;
    const std::uint64_t to_each_ns = outcome_of(scenario).duration_ns;
    EXPECT_GT(to_each_ns, 3 * 100'000 * 8U);
    EXPECT_GT(to_each_ns, in_a_tree_ns + in_a_tree_ns / 10);
}

// Ranks run ahead of each other where the operations let them, over several communicators, with every kind of gate.
TEST(Job, NothingHangsWhereRanksRunAhead) {
    const std::string text =
        "ranks 6\nsteps 4\ncomm even 0 2 4\ncomm odd 1 3 5\ncomm low 0 1 2\n"
        "rank 0-5\nalltoall 3000\nbcast 2 100000\nreduce 1 5000\nallreduce 8\nbarrier\n"
        "rank 0-5\nallgather 2000\n"
        "rank 3\ncompute 400000\n"
        "rank 0\nbcast 0 50 comm low\nalltoall 9000 comm low\nrank 1-2\nbcast 0 50 comm low\nalltoall 9000 comm low\n"
        "rank 0\nalltoallv 1 0 30000 comm even\nallgatherv 5 0 7 comm even\n"
        "rank 2\nalltoallv 7 8 9 comm even\nallgatherv 5 0 7 comm even\n"
        "rank 4\nalltoallv 0 0 0 comm even\nallgatherv 5 0 7 comm even\n";
    for (const std::string candidate : {"lam", "ordered", "ordered+barrier", "pairwise+token:2000,chunk:1000"})
        for (const std::uint32_t a_host : {1U, 3U}) {
            JobScenario scenario = scenario_of(text, 6 / a_host, a_host);
            EXPECT_TRUE(parse(candidate, scenario.choices.alltoall));
            scenario.choices.library = a_host == 1 ? Library::open_mpi : Library::mpich;
            scenario.noise = {.skew_ns = 50'000, .period_ns = 100'000, .detour_ns = 20'000};
            EXPECT_EQ(fault_of(scenario.script, scenario.choices), "");
            EXPECT_EQ(outcome_of(scenario).duration_ns, outcome_of(scenario).duration_ns) << candidate;
        }
}

TEST(Job, WhatAnAlgorithmDoesNotServeIsSaid) {
    JobScenario scenario = scenario_of("ranks 2\nrank 0\nalltoallv 1 2\nrank 1\nalltoallv 3 4\n", 2);
    EXPECT_TRUE(parse("bruck", scenario.choices.alltoall));
    EXPECT_EQ(fault_of(scenario.script, scenario.choices), "bruck cannot do alltoallv");
    EXPECT_TRUE(parse("ordered", scenario.choices.alltoallv.emplace()));
    EXPECT_EQ(fault_of(scenario.script, scenario.choices), "");
    EXPECT_GT(outcome_of(scenario).duration_ns, 0U);
}

// A short vector: in a chain of four it goes three times from host to host, in a tree twice, each time but the first
// behind an acknowledgement; one rank sends it to all others one after the other, on its own link.
TEST(Job, AnOperationOnAVectorGoesAsAskedFor) {
    const auto taken_ns = [](const std::string& activity, std::string_view bcast, std::string_view reduce) {
        JobScenario scenario = scenario_of("ranks 4\nrank 0-3\n" + activity + "\n", 4);
        if (!bcast.empty()) {
            EXPECT_TRUE(parse(bcast, scenario.choices.bcast.emplace()));
        }
        if (!reduce.empty()) {
            EXPECT_TRUE(parse(reduce, scenario.choices.reduce.emplace()));
        }
        EXPECT_EQ(fault_of(scenario.script, scenario.choices), "");
        return outcome_of(scenario).duration_ns;
    };
    const std::uint64_t hop = 2 * (frame_ns(1000) + kLink_ns), acknowledgement = (52 + 18 + 20) * 8;
    EXPECT_EQ(taken_ns("bcast 0 1000", "chain", ""), 3 * hop + 2 * acknowledgement);
    EXPECT_EQ(taken_ns("bcast 0 1000", "binomial", ""), 2 * hop + acknowledgement);
    EXPECT_EQ(taken_ns("bcast 0 1000", "linear", ""), hop + 2 * frame_ns(1000));
    EXPECT_EQ(taken_ns("bcast 0 1000", "", "chain"), 2 * hop + acknowledgement) << "others go as MPICH does them";
    EXPECT_EQ(taken_ns("reduce 0 1000", "", "chain"), 3 * hop + 2 * acknowledgement);
}

TEST(Job, AnAlgorithmForAnotherOperationIsSaid) {
    JobScenario scenario = scenario_of("ranks 2\nrank 0-1\nallreduce 8\n", 2);
    EXPECT_TRUE(parse("chain", scenario.choices.allreduce.emplace()));
    EXPECT_EQ(fault_of(scenario.script, scenario.choices), "chain cannot do allreduce");
}

TEST(Job, SmallBlocksGoWithoutBarriers) {
    const auto taken_ns = [](std::uint64_t bytes, std::uint64_t barrier_above_bytes) {
        JobScenario scenario = scenario_of("ranks 4\nrank 0-3\nalltoall " + std::to_string(bytes) + "\n", 4);
        EXPECT_TRUE(parse("ordered+barrier", scenario.choices.alltoall));
        scenario.choices.barrier_above_bytes = barrier_above_bytes;
        return outcome_of(scenario).duration_ns;
    };
    EXPECT_LT(taken_ns(1000, 1000), taken_ns(1000, 999));
    EXPECT_EQ(taken_ns(1001, 1000), taken_ns(1001, 0));
}

// Detours of 1 ms every 1 ms or so make a long computation about twice as long; without them nothing is drawn.
TEST(Job, NoiseStretchesComputing) {
    JobScenario scenario = scenario_of("ranks 1\nrank 0\ncompute 1000000000\n", 1);
    scenario.noise = {.skew_ns = 0, .period_ns = 1'000'000, .detour_ns = 1'000'000};
    const double stretched = static_cast<double>(outcome_of(scenario).duration_ns) * 1e-9;
    EXPECT_GT(stretched, 1.8);
    EXPECT_LT(stretched, 2.2);
}

}  // namespace
}  // namespace clearway::simulator
