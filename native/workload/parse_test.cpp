#include "workload/parse.hpp"

#include <gtest/gtest.h>

namespace clearway::workload {
namespace {

const std::string kHead = "clearway-script 1\ntitle four ranks\nranks 4\n";

Script parsed(const std::string& body) {
    Script script;
    ScriptError error;
    EXPECT_TRUE(parse_script(kHead + body, script, error)) << error.line << ": " << error.message;
    return script;
}

ScriptError refused(const std::string& text) {
    Script script;
    ScriptError error;
    EXPECT_FALSE(parse_script(text, script, error)) << text;
    EXPECT_FALSE(error.hint.empty() && error.message.find("already") == std::string::npos) << error.message;
    return error;
}

TEST(Parse, TheHeadTellsTheJob) {
    const Script script = parsed("steps 10  # each rank does its list that often\ncomm pme 0 2\n\n");
    EXPECT_EQ(script.title, "four ranks");
    EXPECT_EQ(script.ranks, 4);
    EXPECT_EQ(script.steps, 10);
    ASSERT_EQ(script.communicators.size(), 2U);
    EXPECT_EQ(script.communicators[0].name, "world");
    EXPECT_EQ(script.communicators[0].ranks, (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(script.communicators[1].name, "pme");
    EXPECT_EQ(script.communicators[1].ranks, (std::vector<int>{0, 2}));
    EXPECT_EQ(script.activities_of.size(), 4U);
}

TEST(Parse, EachKindHasItsValues) {
    const Script script = parsed(
        "comm half 0-1\n"
        "rank 0\ncompute 1234567\nsend 1 40000 tag 7\nisend 1 8\nirecv 1 9 comm half tag 3\nwaitall\n"
        "sendrecv 1 10 1 20\n"
        "rank 1\nrecv 0 40000 tag 7\nirecv 0 8\nisend 0 9 comm half tag 3\nwaitall\nsendrecv 0 20 0 10\n"
        "rank 0-3\nalltoall 100\nalltoallv 1 2 3 4\nallgather 5\nallgatherv 6 7 8 9\nallreduce 11\nreduce 2 12\n"
        "bcast 3 13\nbarrier\n");
    const std::vector<Activity>& all = script.activities_of[0];
    ASSERT_EQ(all.size(), 14U);
    EXPECT_EQ(all[0].kind, ActivityKind::compute);
    EXPECT_EQ(all[0].duration_ns, 1234567U);
    EXPECT_EQ(all[1].kind, ActivityKind::send);
    EXPECT_EQ(all[1].peer, 1);
    EXPECT_EQ(all[1].bytes, 40000U);
    EXPECT_EQ(all[1].tag, 7);
    EXPECT_EQ(all[1].communicator, 0);
    EXPECT_EQ(all[3].kind, ActivityKind::irecv);
    EXPECT_EQ(all[3].tag, 3);
    EXPECT_EQ(all[3].communicator, 1);
    EXPECT_EQ(all[4].kind, ActivityKind::waitall);
    EXPECT_EQ(all[5].kind, ActivityKind::sendrecv);
    EXPECT_EQ(all[5].peer, 1);
    EXPECT_EQ(all[5].bytes, 10U);
    EXPECT_EQ(all[5].from, 1);
    EXPECT_EQ(all[5].from_bytes, 20U);
    EXPECT_EQ(all[6].kind, ActivityKind::alltoall);
    EXPECT_EQ(all[6].bytes, 100U);
    EXPECT_EQ(script.counts[static_cast<std::size_t>(all[7].counts)], (std::vector<std::uint64_t>{1, 2, 3, 4}));
    EXPECT_EQ(script.counts[static_cast<std::size_t>(all[9].counts)], (std::vector<std::uint64_t>{6, 7, 8, 9}));
    EXPECT_EQ(all[11].kind, ActivityKind::reduce);
    EXPECT_EQ(all[11].peer, 2);
    EXPECT_EQ(all[12].peer, 3);
    EXPECT_EQ(all[13].kind, ActivityKind::barrier);
    EXPECT_EQ(script.activities_of[3].size(), 8U);
}

TEST(Parse, AWaitNamesRequests) {
    const Script script = parsed(
        "rank 0\nisend 1 9 tag 3 request 7\nisend 1 8\nwait 7\nisend 1 9 request 7 comm world\nwaitall\n"
        "rank 1\nrecv 0 9 tag 3\nrecv 0 8\nrecv 0 9\n");
    const std::vector<Activity>& all = script.activities_of[0];
    EXPECT_EQ(all[0].request, 7);
    EXPECT_EQ(all[1].request, -1);
    EXPECT_EQ(all[2].kind, ActivityKind::wait);
    EXPECT_EQ(script.counts[static_cast<std::size_t>(all[2].counts)], (std::vector<std::uint64_t>{7}));
    EXPECT_EQ(all[3].request, 7);
}

TEST(Parse, RelativePeersWrapAroundTheirCommunicator) {
    const Script script =
        parsed("comm odd 1 3\nrank 0-3\nsendrecv +1 10 -1 10\nrank 1,3\nsendrecv +1 10 -1 10 comm odd\n");
    EXPECT_EQ(script.activities_of[0][0].peer, 1);
    EXPECT_EQ(script.activities_of[0][0].from, 3);
    EXPECT_EQ(script.activities_of[3][0].peer, 0);
    EXPECT_EQ(script.activities_of[3][1].peer, 0);  // rank 1 of the world
    EXPECT_EQ(script.activities_of[1][1].peer, 1);
    EXPECT_EQ(script.activities_of[1][1].from, 1);
}

TEST(Parse, ErrorsNameTheirLine) {
    EXPECT_EQ(refused("ranks 4\n").line, 1);
    EXPECT_EQ(refused("").message, "it ends without a line `ranks N`");
    const ScriptError version = refused("clearway-script 2\n");
    EXPECT_EQ(version.message, "the Script has version 2, this program reads version 1");
    EXPECT_EQ(refused("clearway-script 1\nrank 0\n").line, 2);
    EXPECT_EQ(refused(kHead + "\n\nbarrier\n").line, 6);
}

TEST(Parse, WhatIsNotUnderstoodIsRefused) {
    for (const char* body : {"ranks 4",
                             "steps 0",
                             "comm pme",
                             "comm pme 2 1",
                             "comm pme 0 4",
                             "comm world 0",
                             "rank 4",
                             "rank",
                             "rank 1-0",
                             "rank 0\nsend 1",
                             "rank 0\nsend 1 2 3",
                             "rank 0\nsend x 1",
                             "rank 0\nsend 1 -1",
                             "rank 0\nsend 4 1",
                             "rank 0\ncompute 1 comm world",
                             "rank 0\nwaitall 1",
                             "rank 0\nwait",
                             "rank 0\nwait x",
                             "rank 0\nsend 1 1 request 2",
                             "rank 0\nisend 1 1 request -1",
                             "rank 0\ndance",
                             "rank 0\nbarrier comm pme",
                             "rank 0-3\nalltoallv 1 2",
                             "rank 0-3\nalltoallv",
                             "rank 0-3\nallreduce 5 tag 1",
                             "rank 0\nsend 1 1 tag 32768",
                             "comm one 1\nrank 0\nbarrier comm one",
                             "rank 0\nbcast +1 5"})
        EXPECT_GE(refused(kHead + body).line, 4) << body;
}

TEST(Parse, RanksMustUnderstandEachOther) {
    const auto message = [](const std::string& body) {
        const ScriptError error = refused(kHead + body);
        EXPECT_EQ(error.line, 0);
        return error.message;
    };
    EXPECT_EQ(message("rank 0\nsend 1 5 tag 2\n"), "no rank receives the message of rank 0 to rank 1 with tag 2");
    EXPECT_EQ(message("rank 2\nrecv 1 5\n"), "no rank sends the message of rank 1 to rank 2 with tag 0");
    EXPECT_EQ(message("rank 0\nsend 1 5\nsend 1 6\nrank 1\nrecv 0 6\nrecv 0 5\n"),
              "a message of rank 0 to rank 1 with tag 0 is sent with 5 bytes, and received with 6");
    EXPECT_EQ(message("rank 0\nisend 1 5\nrank 1\nrecv 0 5\n"),
              "rank 0 starts a message and does not wait for its end");
    const std::string received = "rank 1\nrecv 0 5\n";
    EXPECT_EQ(message("rank 0\nisend 1 5 request 1\n" + received),
              "rank 0 starts a message and does not wait for its end");
    EXPECT_EQ(message("rank 0\nisend 1 5 request 1\nwait 1 1\n" + received), "rank 0 waits for request 1, not begun");
    EXPECT_EQ(message("rank 0\nisend 1 5 request 1\nisend 1 5 request 1\nwaitall\n" + received + "recv 0 5\n"),
              "rank 0 starts request 1 twice before its end");
    EXPECT_EQ(message("rank 0-2\nbarrier\n"), "ranks 0 and 3 do not make the same collective calls on 'world'");
    EXPECT_EQ(message("rank 0\nbcast 0 5\nrank 1-3\nbcast 1 5\n"),
              "ranks 0 and 1 do not make the same collective calls on 'world'");
}

}  // namespace
}  // namespace clearway::workload
