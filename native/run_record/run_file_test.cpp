// Names and headers of a Run's files.
#include "run_record/run_file.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/host.hpp"
#include "run_record/call_cell.hpp"
#include "run_record/testing/read_back.hpp"

namespace clearway {
namespace {

using testing::Folder;
using testing::ReadBack;

TEST(RunFile, OfAProcessThatExecutesAnotherProgramHasANumber) {
    const Folder folder;
    const std::string pid = std::to_string(getpid());
    for (const std::string& name : {"rank.node1." + pid + ".cwr", "rank.node1." + pid + ".2.cwr",
                                    "rank.node1." + pid + ".3.cwr", "flow.node1." + pid + ".cwr"}) {
        RecordFile file;
        const FileKind kind = name[0] == 'r' ? FileKind::rank : FileKind::flow;
        EXPECT_EQ(create_own_file(file, kind, folder.path().c_str(), "node1"), 0);
        EXPECT_EQ(ReadBack(folder / name).header.pid, getpid());
    }
    RecordFile host, again;
    EXPECT_EQ(create_run_file(host, FileKind::host, folder.path().c_str(), "node1", "0a0b"), 0);
    EXPECT_EQ(create_run_file(again, FileKind::host, folder.path().c_str(), "node1", "0a0b"), EEXIST);
    EXPECT_EQ(ReadBack(folder / "host.node1.0a0b.cwr").header.rank, -1);
}

TEST(RunFile, IsTakenFromTheProgramThatThisProcessExecutedThisOneFrom) {
    const Folder folder;
    const char* directory = folder.path().c_str();
    constexpr std::uint64_t kBegan_ns = 5'000'000'000;
    RecordFile host;
    int number = 0;
    for (const int expected : {1, 2}) {
        RecordFile own;
        ASSERT_EQ(create_own_file(own, FileKind::rank, directory, "node1", &number), 0);
        EXPECT_EQ(number, expected);
    }
    ASSERT_EQ(create_run_file(host, FileKind::host, directory, "node1", "0a0b"), 0);
    begin_header(*host.header(), {.host = "node1", .job = "j", .process_start_monotonic_ns = kBegan_ns});
    EXPECT_FALSE(remove_of_earlier_program(FileKind::host, directory, "node2", "0a0b", kBegan_ns)) << "there is none";
    EXPECT_FALSE(remove_of_earlier_program(FileKind::host, directory, "node1", "0a0b", kBegan_ns + 20'000'000))
        << "pid again";
    host.header()->pid = getpid() + 1;
    EXPECT_FALSE(remove_of_earlier_program(FileKind::host, directory, "node1", "0a0b", kBegan_ns)) << "another's";
    host.header()->pid = getpid();
    EXPECT_TRUE(remove_of_earlier_program(FileKind::host, directory, "node1", "0a0b", kBegan_ns + 300));
    EXPECT_EQ(create_run_file(host, FileKind::host, directory, "node1", "0a0b"), 0);
}

TEST(RunFile, OfOneBesideTheRecorderSaysWhoAndWhen) {
    const Folder folder;
    RecordFile nowhere, file;
    unsetenv("CLEARWAY_DIR");
    EXPECT_FALSE(open_own_file(nowhere, FileKind::flow));
    setenv("CLEARWAY_DIR", "runs/here", 1);
    EXPECT_FALSE(open_own_file(nowhere, FileKind::flow)) << "the program may have changed its directory";
    setenv("CLEARWAY_DIR", folder.path().c_str(), 1);
    setenv("CLEARWAY_JOB", std::string(100, 'j').c_str(), 1);
    ASSERT_TRUE(open_own_file(file, FileKind::io_cache));
    char host[64];
    safe_host_name(host);
    const ReadBack record(folder / ("io." + std::string(host) + "." + std::to_string(getpid()) + ".cwr"));
    EXPECT_EQ(record.header.state, State::running);
    EXPECT_EQ(record.header.kind, FileKind::io_cache);
    EXPECT_STREQ(record.header.host, host);
    EXPECT_EQ(record.header.job, std::string(63, 'j'));
    EXPECT_EQ(record.header.start.ticks, record.header.start.monotonic_ns);
    EXPECT_EQ(record.header.heartbeat[0].realtime_ns, record.header.start.realtime_ns);
    EXPECT_NE(record.header.start.realtime_ns, 0U);
}

TEST(RunFile, CutsTextAtItsField) {
    const std::string longer(1000, 'x');
    EXPECT_EQ(std::strlen(fact_of(longer.c_str(), longer.c_str()).name), sizeof Fact::name - 1);
    EXPECT_EQ(std::strlen(fact_of("a", longer.c_str()).text), sizeof Fact::text - 1);
    EXPECT_EQ(std::strlen(counter_of(longer.c_str(), 1, 2).name), sizeof Counter::name - 1);
    EXPECT_EQ(std::strlen(function_of(1, longer.c_str(), FunctionClass::life).name), sizeof FunctionName::name - 1);
}

TEST(CallCell, CountsSizesTimesAndVolumes) {
    EXPECT_EQ(size_bin(0), 0);
    EXPECT_EQ(size_bin(1), 1);
    EXPECT_EQ(size_bin(1023), 10);
    EXPECT_EQ(size_bin(1024), 11);
    EXPECT_EQ(size_bin(~std::uint64_t{0}), 64);
    EXPECT_EQ(divided(10, 0).message_bytes, 0U) << "a group without members";
    EXPECT_EQ(divided(10, 4).message_bytes, 2U);
    EXPECT_EQ(repeated(10, 4).bytes, 40U);
    CallCell cell = empty_cell(7, 1, 3, 4, 0);
    add_volume(cell, 100);
    add_time(cell, 50, 4, 9);
    add_volume(cell, 1);
    add_time(cell, 10, 1, 0);
    EXPECT_EQ(cell.count, 2U);
    EXPECT_EQ(cell.bytes, 101U);
    EXPECT_EQ(cell.ticks, 210U) << "a call that stands for four";
    EXPECT_EQ(cell.min_ticks, 10U);
    EXPECT_EQ(cell.max_ticks, 50U);
    EXPECT_EQ(cell.run_delay_ns, 9U);
}

}  // namespace
}  // namespace clearway
