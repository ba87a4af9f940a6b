// schedule::Credits and pacing between the messages of a call: hand-worked times of two hosts that exchange one
// message.
#include <gtest/gtest.h>

#include "simulator/simulation.hpp"

namespace clearway::simulator {
namespace {

constexpr std::uint64_t kMessageBytes = 80'000;
constexpr std::uint64_t kMillisecond = 1'000'000;

// 2 ms from host to host; what a message takes on the wire (0.7 ms) is little beside it.
std::uint64_t call_ns(std::string_view candidate) {
    const LinkSettings link{.rate_bps = 1'000'000'000, .latency_ns = kMillisecond};
    Scenario scenario;
    scenario.topology = one_switch(2, {link, link}, {});
    scenario.problem.placement = schedule::place_in_blocks({1, 1});
    scenario.problem.block_bytes = {kMessageBytes};
    scenario.tcp.initial_window = 100;  // TCP sends what MPI gives it
    scenario.mpi.eager_bytes = 2 * kMessageBytes;
    EXPECT_TRUE(parse(candidate, scenario.candidate));
    const Outcome outcome = Simulation(scenario).run();
    EXPECT_FALSE(outcome.is_stuck);
    return outcome.calls.front().duration_ns;
}

void expect_ms(std::uint64_t least_ms, std::uint64_t call_ns) {
    EXPECT_GE(call_ns, least_ms * kMillisecond);
    EXPECT_LT(call_ns, (least_ms + 1) * kMillisecond);
}

TEST(Separation, NothingLetsTheMessageGoAtOnce) { expect_ms(2, call_ns("ordered,chunk:8000")); }

// Ten chunks: each of the other nine waits for the receiver's word, 4 ms there and back.
TEST(Separation, OneChunkOfCreditCostsARoundTripEach) { expect_ms(2 + 9 * 4, call_ns("ordered+credits:8000")); }

// Two at once: the third waits for the first, the fifth for the third ...
TEST(Separation, TwoChunksOfCreditHalveThem) { expect_ms(2 + 4 * 4, call_ns("ordered+credits:16000,chunk:8000")); }

TEST(Separation, CreditForTheWholeMessageCostsNothing) {
    EXPECT_EQ(call_ns("ordered+credits:80000,chunk:8000"), call_ns("ordered,chunk:8000"));
}

// 8,000 bytes a millisecond: the last of ten chunks leaves after nine.
TEST(Separation, PaceKeepsChunksApart) { expect_ms(2 + 9, call_ns("ordered,chunk:8000,pace:8000000")); }

TEST(Separation, PaceOfAWholeMessageCostsNothing) { EXPECT_EQ(call_ns("ordered,pace:8000000"), call_ns("ordered")); }

}  // namespace
}  // namespace clearway::simulator
