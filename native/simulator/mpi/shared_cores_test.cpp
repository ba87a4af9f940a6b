// Ranks that share cores: what is computed takes turns, and so does what MPI takes of a core.
#include <gtest/gtest.h>

#include "simulator/workload/job.hpp"
#include "workload/parse.hpp"

namespace clearway::simulator {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr LinkSettings kFast{.rate_bps = 1'000'000'000, .latency_ns = 10'000};

JobOutcome run_job(const std::string& body, std::uint32_t ranks, const NoiseSettings& noise,
                   std::uint32_t ranks_a_host = 1, bool looks_twice = false, const Plug& plug = {kFast, kFast}) {
    JobScenario scenario;
    workload::ScriptError error;
    EXPECT_TRUE(parse_script("clearway-script 1\nranks " + std::to_string(ranks) + "\n" + body, scenario.script, error))
        << error.message;
    scenario.topology = one_switch(ranks / ranks_a_host, plug, {});
    scenario.placement = schedule::place_in_blocks(std::vector<std::uint32_t>(ranks / ranks_a_host, ranks_a_host));
    scenario.noise = noise;
    scenario.mpi.message_ns = 1'000;
    scenario.mpi.looks_twice = looks_twice;
    EXPECT_TRUE(parse("ordered", scenario.choices.alltoall));
    EXPECT_TRUE(parse("ring", scenario.choices.allgather));
    return Job(scenario).run();
}

std::uint64_t job_ns(const std::string& body, std::uint32_t ranks, const NoiseSettings& noise,
                     std::uint32_t ranks_a_host = 1, bool looks_twice = false) {
    const JobOutcome outcome = run_job(body, ranks, noise, ranks_a_host, looks_twice);
    EXPECT_EQ(outcome.stuck, "");
    return outcome.duration_ns;
}

// Of ranks 0 and 1: there and back, one after another.
std::string exchanges(int count) {
    std::string ping = "rank 0\n", pong = "rank 1\n";
    for (int i = 0; i < count; ++i) {
        ping += "send 1 100\nrecv 1 100\n";
        pong += "recv 0 100\nsend 0 100\n";
    }
    return ping + pong;
}

double in_ms(std::uint64_t ns) { return static_cast<double>(ns) / static_cast<double>(kMillisecond); }

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

// A core that does something else for 2 ms in 20 has a rank of its own wait; of four that are shared by four, three go
// on. In 1,000 exchanges of a rank with itself's neighbour, each some 40 µs, few meet two detours at once.
TEST(SharedCores, NoiseIsTheCoresAndNotTheRanks) {
    std::string body = "rank 0-1\n";
    for (int i = 0; i < 1'000; ++i) body += "sendrecv +1 100 -1 100\n";
    const std::uint64_t quiet_ns = job_ns(body, 2, {.cores = 4});
    const NoiseSettings noise{.period_ns = 20 * kMillisecond, .detour_ns = 2 * kMillisecond};
    NoiseSettings shared = noise;
    shared.cores = 4;
    const std::uint64_t own_ns = job_ns(body, 2, noise), shared_ns = job_ns(body, 2, shared);
    EXPECT_GT(own_ns - quiet_ns, 4 * (shared_ns - quiet_ns));
}

// A hundred full packets, and an acknowledgement for every second: one core takes 15 ms for them at 100 µs each, two
// take half of that. A rank that has the only core meanwhile is behind by as much.
TEST(SharedCores, PacketsTakeTheirTimeOfThem) {
    const std::string body = "rank 0\nsend 1 144700\nrank 1\nrecv 0 144700\n";
    NoiseSettings noise{.cores = 1, .packet_ns = 100'000};
    const std::uint64_t one_ns = job_ns(body, 2, noise);
    EXPECT_GE(one_ns, 14 * kMillisecond);
    EXPECT_LT(one_ns, 21 * kMillisecond);
    noise.cores = 2;
    EXPECT_LT(job_ns(body, 2, noise), one_ns * 6 / 10);
    EXPECT_LT(job_ns(body, 2, {.cores = 1}), 3 * kMillisecond);
}

// A hundred there and a hundred back: each of both ranks is woken a hundred times, and one core goes from one to the
// other.
TEST(SharedCores, AreTakenToWakeARankAndMoreWhereTheyHaveWorkedForAnother) {
    const std::string body = exchanges(100);
    const std::uint64_t unwoken_ns = job_ns(body, 2, {.cores = 2});
    const NoiseSettings apart{.cores = 2, .wake_ns = 50'000, .switch_ns = 50'000};
    NoiseSettings together = apart;
    together.cores = 1;
    EXPECT_NEAR(10., in_ms(job_ns(body, 2, apart) - unwoken_ns), .5);
    EXPECT_NEAR(20., in_ms(job_ns(body, 2, together) - unwoken_ns), .5);
}

// Ten ranks wait for a word that comes last. Each looks for 20 µs in every 120: they would take 1.7 of the one core.
TEST(SharedCores, AreTakenByRanksThatWaitAndLook) {
    std::string body = exchanges(1'000);
    body += "rank 0\n";
    for (int i = 2; i < 12; ++i) body += "send " + std::to_string(i) + " 100\n";
    body += "rank 2-11\nrecv 0 100\n";
    NoiseSettings noise{.cores = 1, .wake_ns = 1'000, .patience_ns = 100'000};
    const std::uint64_t asleep_ns = job_ns(body, 12, noise);
    noise.poll_ns = 20'000;
    EXPECT_GT(job_ns(body, 12, noise), 2 * asleep_ns);
    noise.cores = 12;
    EXPECT_LT(job_ns(body, 12, noise), 2 * asleep_ns);
}

// Of two ranks that wait for each other for ever none looks for ever.
TEST(SharedCores, AreNotTakenWhereNothingCanCome) {
    const std::string body = "rank 0\nrecv 1 100\nsend 1 100\nrank 1\nrecv 0 100\nsend 0 100\n";
    EXPECT_NE(run_job(body, 2, {.cores = 1, .wake_ns = 1'000, .poll_ns = 1'000}).stuck, "");
}

// As Open MPI does: each of the hundred there and back is followed by a look of 100 µs.
TEST(SharedCores, WhoLooksTwiceGoesOnAfterALookInVain) {
    const NoiseSettings noise{.cores = 2, .wake_ns = 1'000, .poll_ns = 1'000, .patience_ns = 100'000};
    const std::uint64_t once_ns = job_ns(exchanges(100), 2, noise);
    EXPECT_NEAR(20., in_ms(job_ns(exchanges(100), 2, noise, 1, true) - once_ns), 1.);
}

// Rank 1 tells rank 0, and both compute for a millisecond. Where both were on the only core, rank 0 hears of it a
// millisecond later each time; of two cores every second time.
TEST(SharedCores, WhoIsWokenWhereTheSenderComputesWaitsForIt) {
    std::string body;
    for (int i = 0; i < 100; ++i) {
        body += "rank 1\nsend 0 100\ncompute 1000000\nrecv 0 100\n";
        body += "rank 0\nrecv 1 100\ncompute 1000000\nsend 1 100\n";
    }
    const auto took_ms = [&](std::uint32_t cores, std::uint64_t wake_ns, bool is_bound = false) {
        return in_ms(
            job_ns(body, 2, {.cores = cores, .is_bound = is_bound, .wake_ns = wake_ns, .shares_computing = false}));
    };
    const double unwoken_ms = took_ms(1, 0);
    EXPECT_NEAR(100., took_ms(1, 1'000) - unwoken_ms, 5.);
    EXPECT_NEAR(50., took_ms(2, 1'000) - unwoken_ms, 15.);
    EXPECT_LT(took_ms(100, 1'000) - unwoken_ms, 6.);
    EXPECT_LT(took_ms(2, 1'000, true) - unwoken_ms, 6.);
}

TEST(SharedCores, WhoIsBoundLeavesAnotherCoreIdle) {
    const std::string body = "rank 0,2\ncompute 40000000\nrank 0-2\nbarrier\n";
    expect_ms(40, job_ns(body, 3, {.cores = 2}));
    expect_ms(80, job_ns(body, 3, {.cores = 2, .is_bound = true}));
}

// A hundred full packets, none of which finds the link idle but the first, at the card and again at the switch's port.
TEST(SharedCores, AreTakenByLinksThatHoldPacketsBack) {
    const std::string body = "rank 0\nsend 1 144700\nrank 1\nrecv 0 144700\n";
    NoiseSettings noise{.cores = 1, .packet_ns = 1'000};
    const std::uint64_t idle_ns = job_ns(body, 2, noise);
    noise.timer_ns = 50'000;
    EXPECT_NEAR(10., in_ms(job_ns(body, 2, noise) - idle_ns), 5.);
}

// What comes to the switch from two hosts at once goes through one program, a packet after the other.
TEST(SharedCores, OneProgramPassesAllPackets) {
    const std::string body =
        "rank 0\nsend 2 144700\nrank 1\nsend 3 144700\nrank 2\nrecv 0 144700\nrank 3\nrecv 1 144700\n";
    NoiseSettings noise{.cores = 8, .packet_ns = 1, .relay_ns = 50'000};
    EXPECT_GT(job_ns(body, 4, noise), 12 * kMillisecond);  // of 200 packets and 100 acknowledgements: 15 ms
    noise.relay_ns = 0;
    EXPECT_LT(job_ns(body, 4, noise), 3 * kMillisecond);
}

// All send to rank 0 first, then to rank 1 and so on. The two that have a core go on with all that they have to send,
// so hardly a port gets what eight have for it at once.
TEST(SharedCores, WhoHasACoreGoesOnAsLongAsItHasSomethingToDo) {
    constexpr std::uint32_t kRanks = 8;
    std::string body;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
        body += "rank " + std::to_string(rank) + "\n";
        for (std::uint32_t peer = 0; peer < kRanks; ++peer)
            if (peer != rank) body += "irecv " + std::to_string(peer) + " 1400\n";
        for (std::uint32_t peer = 0; peer < kRanks; ++peer)
            if (peer != rank) body += "isend " + std::to_string(peer) + " 1400\n";
        body += "waitall\n";
    }
    const auto drops = [&](std::uint32_t cores) {
        const LinkSettings card{.rate_bps = 4'000'000'000, .latency_ns = 10'000};
        LinkSettings port = card;
        port.buffer_bytes = 5'000;
        return run_job(body, kRanks, {.cores = cores, .wake_ns = 1'000}, 1, false, {card, port}).network.drops;
    };
    EXPECT_LT(3 * drops(2), drops(kRanks));
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
