// How calls are counted: volumes of collectives, communicators, and calls that are open, fail or are left by a jump.
#include <unistd.h>
#include <functional>
#include <new>

#include "recorder/lock.hpp"
#include "recorder/testing/recorded.hpp"
#include "recorder/tick_rate.hpp"

using clearway::Arg;
extern "C" {
int MPI_Send(Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Barrier(Arg);
int MPI_Bcast(Arg, Arg, Arg, Arg, Arg);
int MPI_Reduce(Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Allreduce(Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Gather(Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Allgatherv(Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Scatter(Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Scatterv(Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Alltoall(Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Alltoall_c(Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Alltoallv(Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Alltoallw(Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Reduce_scatter(Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Reduce_scatter_block(Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Iprobe(Arg, Arg, Arg, Arg, Arg);
int MPI_Comm_dup(Arg, Arg);
int MPI_Comm_free(Arg);
}

namespace clearway::testing {
namespace {

using recorder::thread_state;

class Volumes : public Recorded {
protected:
    // Of the one call that `call` makes.
    void expect(std::string_view function, std::uint64_t message_bytes, std::uint64_t bytes,
                const std::function<void()>& call) {
        comm += 0x100000;  // another communicator for each call
        mpi.comms[comm] = {{3, 1, 2, 0}, 1};
        index = recorder::comm_of(comm).index;
        call();
        const std::vector<CallCell> made = cells(function);
        ASSERT_EQ(made.size(), 1U) << function;
        EXPECT_EQ(made[0].count, 1U) << function;
        EXPECT_EQ(made[0].bytes, bytes) << function;
        EXPECT_EQ(int{made[0].size_bin}, std::bit_width(message_bytes)) << function;
        EXPECT_LE(made[0].min_ticks, made[0].max_ticks);
    }

    const int counts[4] = {1, 2, 3, 4}, types[4] = {kInt, kByte, kDerivedType, kInt};
    static constexpr Arg kBuffer = 0x5000;
};

// Four members, of which this process is rank 1. An int has 4 bytes.
TEST_F(Volumes, AreWhatThisProcessContributes) {
    const Arg c = arg(counts), t = arg(types);
    expect("MPI_Barrier", 0, 0, [&] { MPI_Barrier(comm); });
    expect("MPI_Bcast", 40, 40, [&] { MPI_Bcast(kBuffer, 10, kInt, 0, comm); });
    expect("MPI_Reduce", 40, 40, [&] { MPI_Reduce(kBuffer, 0, 10, kInt, 0, 2, comm); });
    expect("MPI_Allreduce", 240, 240, [&] { MPI_Allreduce(kInPlace, kBuffer, 10, kDerivedType, 0, comm); });
    expect("MPI_Alltoall", 20, 80, [&] { MPI_Alltoall(kBuffer, 5, kInt, kBuffer, 7, kByte, comm); });
    expect("MPI_Alltoallv", 10, 40, [&] { MPI_Alltoallv(kBuffer, c, c, kInt, kBuffer, c, c, kInt, comm); });
    expect("MPI_Alltoallw", 23, 94, [&] { MPI_Alltoallw(kBuffer, c, c, t, kBuffer, c, c, t, comm); });
    expect("MPI_Reduce_scatter", 10, 40, [&] { MPI_Reduce_scatter(kBuffer, kBuffer, c, kInt, 0, comm); });
    expect("MPI_Reduce_scatter_block", 12, 48, [&] { MPI_Reduce_scatter_block(kBuffer, kBuffer, 3, kInt, 0, comm); });
}

TEST_F(Volumes, InPlaceAreThoseOfTheReceivingSide) {
    const Arg c = arg(counts);
    expect("MPI_Alltoall", 7, 28, [&] { MPI_Alltoall(kInPlace, 0, 0, kBuffer, 7, kByte, comm); });
    expect("MPI_Alltoallv", 10, 40, [&] { MPI_Alltoallv(kInPlace, 0, 0, 0, kBuffer, c, c, kInt, comm); });
    expect("MPI_Gather", 12, 12, [&] { MPI_Gather(kInPlace, 0, 0, kBuffer, 3, kInt, 1, comm); });
    expect("MPI_Allgatherv", 0, 0, [&] { MPI_Allgatherv(kInPlace, 0, 0, kBuffer, c, c, kInt, comm); });
}

TEST_F(Volumes, OfAScatterAreItsRoots) {
    const Arg c = arg(counts);
    expect("MPI_Scatter", 12, 48, [&] { MPI_Scatter(kBuffer, 3, kInt, kBuffer, 3, kInt, 1, comm); });
    expect("MPI_Scatter", 0, 0, [&] { MPI_Scatter(kBuffer, 3, kInt, kBuffer, 3, kInt, 0, comm); });
    expect("MPI_Scatterv", 10, 40, [&] { MPI_Scatterv(kBuffer, c, c, kInt, kBuffer, 3, kInt, 1, comm); });
    // On other ranks the sender's arguments mean nothing and may be anything.
    expect("MPI_Scatterv", 0, 0, [&] { MPI_Scatterv(0, 1, 1, 1, kBuffer, 3, kInt, 0, comm); });
}

TEST_F(Volumes, OfLargeAndEmptyCallsAreRight) {
    expect("MPI_Alltoall_c", 4ULL << 33, 16ULL << 33,
           [&] { MPI_Alltoall_c(kBuffer, Arg{1} << 33, kInt, kBuffer, 1, kInt, comm); });
    const Arg garbage_above = (Arg{0x1234} << 32) | 5;  // an int's register holds anything in its upper half
    expect("MPI_Bcast", 20, 20, [&] { MPI_Bcast(kBuffer, garbage_above, kInt, 0, comm); });
    expect("MPI_Bcast", 0, 0, [&] { MPI_Bcast(0, 0, 0x0c000000, 0, comm); });
    expect("MPI_Bcast", 0, 0, [&] { MPI_Bcast(0, -3, kInt, 0, comm); });
}

class Calls : public Recorded {};

TEST_F(Calls, OnACommunicatorAreCountedByWorldRank) {
    MPI_Send(0, 10, kInt, 0, 5, comm);  // rank 0 here is 3 in the world
    MPI_Send(0, 10, kInt, 0, 6, comm);
    MPI_Send(0, 99, kInt, kProcNull, 5, comm);
    const std::vector<CallCell> sends = cells("MPI_Send");
    ASSERT_EQ(sends.size(), 2U);
    EXPECT_EQ(sends[0].peer, 3);
    EXPECT_EQ(sends[0].count, 2U);
    EXPECT_EQ(sends[0].bytes, 80U);
    EXPECT_EQ(sends[1].peer, kPeerNull);
    EXPECT_EQ(sends[1].bytes, 0U) << "to nobody goes nothing";
}

// What a reader of a job that hangs sees.
TEST_F(Calls, AreOpenWhileTheMpiHasThem) {
    const std::uint64_t sends_before = count("MPI_Send");
    std::uint32_t open = 0;
    std::uint64_t since = 0;
    mpi.inside = [&] {
        open = thread_state.cell->call_function;
        since = thread_state.cell->call_entry_ticks;
        MPI_Send(0, 1, kByte, 0, 0, comm);  // an MPI may be made of MPI calls
    };
    const std::uint64_t before = recorder::now_ticks();
    MPI_Barrier(comm);
    EXPECT_EQ(name_of(static_cast<std::uint16_t>(open)), "MPI_Barrier");
    EXPECT_GE(since, before);
    EXPECT_EQ(thread_state.cell->call_function, 0U);
    EXPECT_EQ(count("MPI_Send"), sends_before) << "what the MPI calls itself is not the program's";
    const std::vector<EventRecord> barriers = events(EventKind::collective);
    ASSERT_EQ(barriers.size(), 1U);
    EXPECT_LE(since, barriers[0].entry_ticks);
    EXPECT_LE(barriers[0].entry_ticks, barriers[0].exit_ticks);
}

TEST_F(Calls, LeftByAJumpEnd) {
    static jmp_buf back;
    mpi.inside = [] { longjmp(back, 1); };
    if (setjmp(back) == 0) MPI_Barrier(comm);
    EXPECT_EQ(thread_state.mpi_depth, 0U);
    EXPECT_EQ(thread_state.cell->call_function, 0U);
    EXPECT_TRUE(cells("MPI_Barrier").empty()) << "it did not return";
    mpi.inside = {};
    MPI_Barrier(comm);
    EXPECT_EQ(cells("MPI_Barrier").size(), 1U) << "and recording goes on";
}

TEST_F(Calls, ThatFailAreCountedWithoutVolume) {
    const std::uint64_t before = count("MPI_Send");
    mpi.result = 7;
    EXPECT_EQ(MPI_Send(0, 10, kInt, 0, 5, comm), 7) << "the program hears of it";
    EXPECT_TRUE(cells("MPI_Send").empty());
    EXPECT_EQ(count("MPI_Send"), before + 1);
    EXPECT_TRUE(events(EventKind::send).empty());
}

TEST_F(Calls, ThatPollAreAllCountedAndTimedNowAndThen) {
    constexpr std::uint64_t kPolls = 101;
    int flag = 0;
    for (std::uint64_t i = 0; i < kPolls; ++i) MPI_Iprobe(0, 0, comm, arg(&flag), kIgnore);
    const std::vector<CallCell> probes = cells("MPI_Iprobe");
    ASSERT_EQ(probes.size(), 1U);
    EXPECT_EQ(probes[0].count, kPolls);
    EXPECT_GT(probes[0].ticks, 0U);
}

class Communicators : public Recorded {};

TEST_F(Communicators, OfTheSameMembersAreToldApart) {
    int copy = 0;
    MPI_Comm_dup(comm, arg(&copy));
    const recorder::CommInfo &first = recorder::comm_of(comm), &second = recorder::comm_of(copy);
    EXPECT_EQ(first.members, second.members);
    EXPECT_NE(first.index, second.index);
    EXPECT_NE(first.cell->id, second.cell->id) << "by the order in which they were made";
    EXPECT_EQ(cells("MPI_Comm_dup").size(), 1U) << "a collective of the old one";
}

// Another thread may get the handle for a new communicator before MPI_Comm_free has returned.
TEST_F(Communicators, AreForgottenBeforeTheirHandleMayComeBack) {
    mpi.inside = [&] {
        mpi.comms[comm] = {{2, 1}, 1};
        EXPECT_NE(recorder::comm_of(comm).index, index);
    };
    int handle = comm;
    MPI_Comm_free(arg(&handle));
    EXPECT_EQ(recorder::comm_of(comm).size, 2U);
    for (const CommCell& cell : record().elements<CommCell>(SegmentKind::comms))
        EXPECT_EQ(cell.flags & 2, cell.index == index ? 2 : cell.flags & 2) << "freed";
}

TEST_F(Communicators, ThatTheMpiDoesNotFreeAreRemembered) {
    MPI_Barrier(comm);
    mpi.result = 5;
    int handle = comm;
    EXPECT_EQ(MPI_Comm_free(arg(&handle)), 5);
    mpi.result = 0;
    MPI_Barrier(comm);
    EXPECT_EQ(recorder::comm_of(comm).index, index);
    EXPECT_EQ(recorder::comm_of(comm).cell->flags & 2, 0);
    const std::vector<EventRecord> barriers = events(EventKind::collective);
    ASSERT_EQ(barriers.size(), 2U);
    EXPECT_EQ(barriers[1].seq, 1U) << "their number goes on";
}

TEST_F(Communicators, BetweenGroupsNameTheRemoteRanks) {
    comm = mpi.next_handle + 0x900000;
    mpi.comms[comm] = {{1, 0}, 0, {3, 2}};
    index = recorder::comm_of(comm).index;
    MPI_Send(0, 1, kByte, 0, 0, comm);
    ASSERT_EQ(cells("MPI_Send").size(), 1U);
    EXPECT_EQ(cells("MPI_Send")[0].peer, 3);
    EXPECT_TRUE(recorder::comm_of(comm).inter);
}

using BetweenCalls = Recorded;

TEST_F(BetweenCalls, WhatWasNoComputingIsToldByTheNextOne) {
    MPI_Barrier(comm);
    usleep(3000);
    MPI_Barrier(comm);
    MPI_Barrier(comm);
    const std::vector<EventRecord> barriers = events(EventKind::collective);
    ASSERT_EQ(barriers.size(), 3U);
    EXPECT_GE(barriers[1].blocked_before_us, 2000U);
    EXPECT_LE(barriers[1].blocked_before_us,
              recorder::to_ns(barriers[1].entry_ticks - barriers[0].exit_ticks) / 1000 + 1);
    EXPECT_LT(barriers[2].blocked_before_us, 1000U) << "it is told once";
}

TEST_F(BetweenCalls, ALockThatAHandlerJumpedOutOfIsLetGo) {
    static recorder::SpinLock lock;
    alignas(recorder::SpinGuard) unsigned char left[sizeof(recorder::SpinGuard)];
    new (left) recorder::SpinGuard(lock);  // no frame of it is ever left in order
    recorder::abandon_call(thread_state);
    const recorder::SpinGuard again(lock);
    EXPECT_EQ(recorder::held_locks.count, 1U);
}

}  // namespace
}  // namespace clearway::testing
