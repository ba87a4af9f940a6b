#include "base/process_stat.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace clearway {
namespace {

// The test's main thread is the process as /proc knows it.
TEST(ProcessStat, ReadsAProcessOfAnyName) {
    char before[32] = "";
    prctl(PR_GET_NAME, before);
    prctl(PR_SET_NAME, "a) S 1 (b");
    ProcessStat process;
    const bool is_read = read_process_stat(getpid(), process);
    prctl(PR_SET_NAME, before);
    ASSERT_TRUE(is_read);
    EXPECT_STREQ(process.name, "a) S 1 (b");
    EXPECT_EQ(process.pid, getpid());
    EXPECT_EQ(process.parent_pid, getppid());
    EXPECT_GT(process.start_ticks, 0U);
    EXPECT_EQ(process.group, getpgrp());
    EXPECT_EQ(process.session, getsid(0));
}

TEST(ProcessStat, KnowsNothingOfAProcessThatIsNotThere) {
    ProcessStat process;
    EXPECT_FALSE(read_process_stat(0x7fffffff, process));
    EXPECT_EQ(process.pid, 0x7fffffff);
    EXPECT_EQ(process.parent_pid, 0);
}

}  // namespace
}  // namespace clearway
