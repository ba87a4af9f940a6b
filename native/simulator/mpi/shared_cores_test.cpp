// Ranks that share cores: what is computed takes turns, and so does what MPI takes of a core.
#include <gtest/gtest.h>

#include "simulator/workload/job.hpp"
#include "workload/parse.hpp"

namespace clearway::simulator {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

std::uint64_t job_ns(const std::string& body, std::uint32_t ranks, const NoiseSettings& noise,
                     std::uint32_t ranks_a_host = 1) {
    const LinkSettings link{.rate_bps = 1'000'000'000, .latency_ns = 10'000};
    JobScenario scenario;
    workload::ScriptError error;
    EXPECT_TRUE(parse_script("clearway-script 1\nranks " + std::to_string(ranks) + "\n" + body, scenario.script, error))
        << error.message;
    scenario.topology = one_switch(ranks / ranks_a_host, {link, link}, {});
    scenario.placement = schedule::place_in_blocks(std::vector<std::uint32_t>(ranks / ranks_a_host, ranks_a_host));
    scenario.noise = noise;
    scenario.mpi.message_ns = 1'000;
    EXPECT_TRUE(parse("ordered", scenario.choices.alltoall));
    EXPECT_TRUE(parse("ring", scenario.choices.allgather));
    const JobOutcome outcome = Job(scenario).run();
    EXPECT_FALSE(outcome.is_stuck);
    return outcome.duration_ns;
}

void expect_ms(std::uint64_t least_ms, std::uint64_t job_ns) {
    EXPECT_GE(job_ns, least_ms * kMillisecond);
    EXPECT_LT(job_ns, (least_ms + 1) * kMillisecond);
}

TEST(SharedCores, EightThatComputeOnTwoTakeFourTimesAsLong) {
    const std::string body = "rank 0-7\ncompute 40000000\nbarrier\n";
    expect_ms(40, job_ns(body, 8, {}));
    expect_ms(160, job_ns(body, 8, {.cores = 2}));
}

TEST(SharedCores, AreNotSharedTwiceByTimesThatHoldTheWaiting) {
    expect_ms(40, job_ns("rank 0-7\ncompute 40000000\nbarrier\n", 8, {.cores = 2, .shares_computing = false}));
}

// Rank 1 has the core for a slice of 4 ms each time that rank 0 wants it for a microsecond.
TEST(SharedCores, WhoWantsACoreForAMessageWaitsForItsTurn) {
    const std::string body =
        "rank 0\nsend 2 100\nrecv 2 100\nrank 1\ncompute 40000000\nrank 2\nrecv 0 100\nsend 0 100\n";
    expect_ms(40, job_ns(body, 3, {}));
    const std::uint64_t alone_ns = job_ns("rank 0\nsend 1 100\nrecv 1 100\nrank 1\nrecv 0 100\nsend 0 100\n", 2, {});
    EXPECT_LT(alone_ns, kMillisecond);
    expect_ms(40, job_ns(body, 3, {.cores = 1}));
}

// It is deaf until it has computed: then it hears all that came, over the network and through memory.
TEST(SharedCores, WhatComesWhileARankComputesIsTakenAfterwards) {
    const std::string body = "rank 0-2\ncompute 10000000\nsendrecv +1 1000 -1 1000\ncompute 10000000\nbarrier\n";
    for (const std::uint32_t ranks_a_host : {1U, 3U}) {
        expect_ms(20, job_ns(body, 3, {.cores = 3}, ranks_a_host));
        expect_ms(60, job_ns(body, 3, {.cores = 1}, ranks_a_host));
    }
}

}  // namespace
}  // namespace clearway::simulator
