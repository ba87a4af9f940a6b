// Ranks exchange long messages, and one of them comes late: what it writes first decides whether the messages go at
// the same time.
#include <gtest/gtest.h>

#include <string>

#include "simulator/workload/job.hpp"
#include "workload/parse.hpp"

namespace clearway::simulator {
namespace {

constexpr std::uint64_t kLate_ns = 10'000'000, kMessage_ns = 8'000'000;  // it takes 8.4 ms on the wire
constexpr char kExchange[] = "rank 0\nsendrecv +1 1000000 +1 1000000\nrank 1\nsendrecv -1 1000000 -1 1000000\n";

std::uint64_t duration_ns(const std::string& before, bool asks_first = false) {
    const LinkSettings link{.rate_bps = 1'000'000'000, .latency_ns = 10'000};
    JobScenario scenario;
    workload::ScriptError error;
    EXPECT_TRUE(parse_script("clearway-script 1\nranks 3\n" + before + kExchange, scenario.script, error))
        << error.message;
    scenario.topology = one_switch(3, {link, link}, {});
    scenario.placement = schedule::place_in_blocks({1, 1, 1});
    scenario.mpi.asks_first = asks_first;
    EXPECT_TRUE(parse("ordered", scenario.choices.alltoall));
    EXPECT_TRUE(parse("ring", scenario.choices.allgather));
    const JobOutcome outcome = Job(scenario).run();
    EXPECT_EQ(outcome.stuck, "");
    return outcome.duration_ns;
}

// While rank 1 waits for rank 2, its library reads what rank 0 asks for.
constexpr char kWaits[] = "rank 2\ncompute 10000000\nsend 1 8\nrank 1\nrecv 2 8\n";

// It grants that when it comes to its receive, then asks itself: rank 0's grant waits behind its own message.
TEST(Rendezvous, WhoHasWaitedAnswersFirstAndSendsSecond) { EXPECT_GT(duration_ns(kWaits), kLate_ns + 2 * kMessage_ns); }

TEST(Rendezvous, LamAsksFirstEvenThen) {
    EXPECT_GT(duration_ns(kWaits, true), kLate_ns + kMessage_ns);
    EXPECT_LT(duration_ns(kWaits, true), kLate_ns + 2 * kMessage_ns);
}

// Nobody reads the request meanwhile.
TEST(Rendezvous, WhoHasComputedAsksFirst) {
    EXPECT_GT(duration_ns("rank 1\ncompute 10000000\n"), kLate_ns + kMessage_ns);
    EXPECT_LT(duration_ns("rank 1\ncompute 10000000\n"), kLate_ns + 2 * kMessage_ns);
}

}  // namespace
}  // namespace clearway::simulator
