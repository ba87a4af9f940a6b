// A record grows under the job, in one piece at every instant, and runs out of room without harming it.
#include "run_record/record_file.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <latch>
#include <thread>

#include "run_record/testing/read_back.hpp"

namespace clearway {
namespace {

using testing::Folder;
using testing::ReadBack;

StallRecord stall(std::uint32_t number) { return {number, 0, 0, number, number, 0, 0, 0, 0}; }

std::vector<std::uint32_t> numbers_in(const ReadBack& record) {
    std::vector<std::uint32_t> numbers;
    for (const StallRecord& each : record.elements<StallRecord>(SegmentKind::stalls)) {
        numbers.push_back(each.socket);
        EXPECT_TRUE(each.begin_ticks == each.socket && each.end_ticks == each.socket) << "half an element";
    }
    return numbers;
}

// Limits of a process and mounts are a child's own. Its answer is what `act` returns.
int in_child(const std::function<int()>& act) {
    const pid_t child = fork();
    if (child == 0) _exit(act());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(RecordFile, GrowsBySegmentsThatDouble) {
    const Folder folder;
    RecordFile file;
    ASSERT_EQ(file.create((folder / "a.cwr").c_str(), FileKind::rank), 0);
    Table<StallRecord> table(SegmentKind::stalls, 4, 1000);
    std::vector<const StallRecord*> places;
    for (std::uint32_t i = 0; i < 100; ++i) {
        std::uint32_t index = ~0U;
        places.push_back(table.add(file, stall(i), &index));
        ASSERT_NE(places.back(), nullptr);
        EXPECT_EQ(index, i);
    }
    for (std::uint32_t i = 0; i < 100; ++i) {
        EXPECT_EQ(table.at(i), places[i]) << "elements never move";
        EXPECT_EQ(places[i]->socket, i);
    }
    const ReadBack record(folder / "a.cwr");
    EXPECT_EQ(record.segments.size(), 5U) << "of 4, 8, 16, 32 and 64";
    std::vector<std::uint32_t> expected(100);
    for (std::uint32_t i = 0; i < 100; ++i) expected[i] = i;
    EXPECT_EQ(numbers_in(record), expected);
}

TEST(RecordFile, TakesNoNameThatIsTaken) {
    const Folder folder;
    const std::string path = folder / "a.cwr";
    RecordFile first, second;
    ASSERT_EQ(first.create(path.c_str(), FileKind::rank), 0);
    EXPECT_EQ(second.create(path.c_str(), FileKind::host), EEXIST);
    EXPECT_FALSE(second.is_open());
    EXPECT_EQ(ReadBack(path).header.kind, FileKind::rank);
    EXPECT_EQ(second.create((folder / std::string(5000, 'x')).c_str(), FileKind::host), ENAMETOOLONG);
    EXPECT_EQ(second.create((folder / "nowhere/a.cwr").c_str(), FileKind::host), ENOENT);
}

TEST(RecordFile, CountsWhatItsTableHasNoPlaceFor) {
    const Folder folder;
    RecordFile file;
    Table<StallRecord> table(SegmentKind::stalls, 4, 6);
    EXPECT_EQ(table.add(file, stall(0)), nullptr) << "there is no file yet";
    ASSERT_EQ(file.create((folder / "a.cwr").c_str(), FileKind::rank), 0);
    for (std::uint32_t i = 0; i < 9; ++i) EXPECT_EQ(table.add(file, stall(i)) != nullptr, i < 6);
    file.drop(SegmentKind::flow_trials);  // the header has no number for it
    const ReadBack record(folder / "a.cwr");
    EXPECT_EQ(record.header.dropped[static_cast<unsigned>(SegmentKind::stalls)], 3U);
    EXPECT_EQ(numbers_in(record).size(), 6U);
    EXPECT_EQ(record.header.start.ticks, 0U) << "behind the numbers";
}

TEST(RecordFile, HoldsAsManySegmentsAsItsDirectory) {
    const Folder folder;
    RecordFile file;
    ASSERT_EQ(file.create((folder / "a.cwr").c_str(), FileKind::rank), 0);
    SegmentEntry* entry = nullptr;
    for (std::uint32_t i = 0; i < kMaxSegments; ++i)
        ASSERT_NE(file.add_segment(SegmentKind::calls, 64, 1, i, &entry), nullptr) << i;
    EXPECT_EQ(file.add_segment(SegmentKind::calls, 64, 1, 0, &entry), nullptr);
    EXPECT_EQ(ReadBack(folder / "a.cwr").segments[kMaxSegments - 1].thread, kMaxSegments - 1);
}

TEST(RecordFile, IsWholeWhenSeveralThreadsAddToIt) {
    const Folder folder;
    RecordFile file;
    ASSERT_EQ(file.create((folder / "a.cwr").c_str(), FileKind::rank), 0);
    Table<StallRecord> table(SegmentKind::stalls, 64, 1'000'000);
    constexpr std::uint32_t kThreads = 4, kEach = 40'000;
    std::latch all(kThreads);
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            all.arrive_and_wait();
            for (std::uint32_t i = 0; i < kEach; ++i) table.add(file, stall(t * kEach + i));
        });
    for (std::thread& thread : threads) thread.join();
    std::vector<std::uint32_t> numbers = numbers_in(ReadBack(folder / "a.cwr"));
    std::ranges::sort(numbers);
    ASSERT_EQ(numbers.size(), kThreads * kEach);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
}

// Growth beyond `ulimit -f` would raise SIGXFSZ, which ends the job.
TEST(RecordFile, StopsAtTheLimitOfItsProcess) {
    const Folder folder;
    const std::string path = folder / "a.cwr";
    EXPECT_EQ(in_child([&] {
                  const rlimit limit{kFirstSegmentOffset + 4096, RLIM_INFINITY};
                  setrlimit(RLIMIT_FSIZE, &limit);
                  RecordFile file;
                  if (file.create(path.c_str(), FileKind::rank) != 0) return 1;
                  Table<StallRecord> table(SegmentKind::stalls, 128, 1000);  // 128 of 32 bytes are a page
                  errno = 77;
                  for (std::uint32_t i = 0; i < 200; ++i) table.add(file, stall(i));
                  const rlimit more{RLIM_INFINITY, RLIM_INFINITY};
                  setrlimit(RLIMIT_FSIZE, &more);
                  SegmentEntry* entry = nullptr;
                  if (file.add_segment(SegmentKind::facts, 512, 1, 0, &entry) != nullptr) return 2;  // asks no more
                  return errno == 77 ? 0 : 3;
              }),
              0);
    const ReadBack record(path);
    EXPECT_EQ(numbers_in(record).size(), 128U);
    EXPECT_EQ(record.header.dropped[static_cast<unsigned>(SegmentKind::stalls)], 72U);
    EXPECT_EQ(record.header.file_bytes, kFirstSegmentOffset + 4096U);
}

// Blocks are reserved when a segment is added: storing into a mapped hole of a full disk would raise SIGBUS.
TEST(RecordFile, SurvivesAFullDisk) {
    const Folder folder;
    const int answer = in_child([&] {
        if (unshare(CLONE_NEWNS) != 0 || mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            mount("disk", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0)
            return 99;
        RecordFile file, late;
        const std::string path = folder / "a.cwr";
        if (file.create(path.c_str(), FileKind::rank) != 0) return 1;
        Table<StallRecord> table(SegmentKind::stalls, 128, 100'000);
        std::uint32_t kept = 0;
        while (table.add(file, stall(kept)) != nullptr) ++kept;
        if (kept < 128 || kept > 64 * 1024 / 32) return 2;
        if (numbers_in(ReadBack(path)).size() != kept) return 3;
        // Not even a header finds room now: nothing is left behind.
        for (int i = 0; i < 8; ++i) {
            const std::string other = folder / std::to_string(i);
            RecordFile next;
            if (next.create(other.c_str(), FileKind::host) == 0) continue;
            return std::filesystem::exists(other) ? 4 : 0;
        }
        return 5;
    });
    if (answer == 99) GTEST_SKIP() << "needs root, for a disk of its own";
    EXPECT_EQ(answer, 0);
}

TEST(RecordFile, HasOneWriterAfterAFork) {
    const Folder folder;
    RecordFile file;
    ASSERT_EQ(file.create((folder / "a.cwr").c_str(), FileKind::rank), 0);
    Table<StallRecord> table(SegmentKind::stalls, 4, 1000);
    table.add(file, stall(0));
    EXPECT_EQ(in_child([&] {
                  file.abandon();
                  table.abandon();
                  file.drop(SegmentKind::stalls);
                  return table.add(file, stall(7)) == nullptr && table.size() == 0 ? 0 : 1;
              }),
              0);
    table.add(file, stall(1));
    const ReadBack record(folder / "a.cwr");
    EXPECT_EQ(numbers_in(record), (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(record.header.dropped[static_cast<unsigned>(SegmentKind::stalls)], 0U);
}

}  // namespace
}  // namespace clearway
