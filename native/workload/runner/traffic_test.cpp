#include "workload/runner/traffic.hpp"

#include <gtest/gtest.h>

#include "workload/parse.hpp"
#include "workload/runner/pattern.hpp"

namespace clearway::workload {
namespace {

Script parsed(const std::string& body) {
    Script script;
    ScriptError error;
    EXPECT_TRUE(parse_script("clearway-script 1\nranks 3\n" + body, script, error)) << error.message;
    return script;
}

std::vector<std::uint64_t> bytes(const std::vector<Block>& blocks) {
    std::vector<std::uint64_t> list;
    for (const Block& block : blocks) list.push_back(block.bytes);
    return list;
}

// What a rank receives in its second alltoallv of a step is what the others send in their second one.
TEST(Traffic, AlltoallvsOfAllRanksBelongTogetherInOrder) {
    const Script script = parsed(
        "rank 0\nalltoallv 1 2 3\nalltoallv 10 20 30\nrank 1\nalltoallv 4 5 6\nalltoallv 40 50 60\n"
        "rank 2\nalltoallv 7 8 9\nalltoallv 70 80 90\n");
    TrafficOf traffic_of(script, 1);
    for (int step = 0; step < 2; ++step) {
        traffic_of.begin_step();
        EXPECT_EQ(bytes(traffic_of(script.activities_of[1][0]).receives), (std::vector<std::uint64_t>{2, 5, 8}));
        const Traffic second = traffic_of(script.activities_of[1][1]);
        EXPECT_EQ(bytes(second.receives), (std::vector<std::uint64_t>{20, 50, 80}));
        EXPECT_EQ(bytes(second.sends), (std::vector<std::uint64_t>{40, 50, 60}));
    }
}

TEST(Traffic, OfAnAllgatherEveryoneGetsTheSame) {
    const Script script = parsed("rank 0-2\nallgatherv 5 0 7\n");
    TrafficOf traffic_of(script, 2);
    const Traffic traffic = traffic_of(script.activities_of[2][0]);
    ASSERT_EQ(traffic.sends.size(), 1U);
    EXPECT_EQ(traffic.sends[0].peer, kAll);
    EXPECT_EQ(traffic.sends[0].bytes, 7U);
    EXPECT_EQ(bytes(traffic.receives), (std::vector<std::uint64_t>{5, 0, 7}));
}

// Open requests hold their part of the buffers until they are waited for; a blocking call goes behind them.
TEST(Traffic, RoomIsForAllThatIsOpenAtOnce) {
    const Script script = parsed(
        "rank 0\nisend 1 100\nisend 1 100\nsend 1 10\nwaitall\nsend 1 150\n"
        "rank 1\nirecv 0 100\nirecv 0 100\nrecv 0 10\nwaitall\nrecv 0 150\n");
    EXPECT_EQ(room_for(script, 0).send_bytes, 2 * aligned(100) + 10);
    EXPECT_EQ(room_for(script, 0).receive_bytes, 0U);
    EXPECT_EQ(room_for(script, 1).receive_bytes, 2 * aligned(100) + 10);
    EXPECT_EQ(room_for(script, 1).requests, 2U);
    EXPECT_TRUE(room_for(script, 0).fits);
    EXPECT_FALSE(room_for(parsed("rank 0-2\nalltoall 1000000000\n"), 0).fits);
}

}  // namespace
}  // namespace clearway::workload
