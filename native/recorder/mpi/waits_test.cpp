// What the record says of waits other than for a single message: collectives that were started, probes, loops of polls.
#include <algorithm>

#include "recorder/testing/recorded.hpp"

using clearway::Arg;
extern "C" {
int MPI_Send(Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Recv(Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Irecv(Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Iallreduce(Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Ibcast(Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Allreduce_init(Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Allreduce(Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Start(Arg);
int MPI_Wait(Arg, Arg);
int MPI_Waitall(Arg, Arg, Arg);
int MPI_Test(Arg, Arg, Arg);
int MPI_Probe(Arg, Arg, Arg, Arg);
int MPI_Iprobe(Arg, Arg, Arg, Arg, Arg);
}

#ifndef __clang_analyzer__  // clang-tidy 14 crashes on the lists of expected events
namespace clearway::testing {
namespace {

class Waits : public Recorded {
protected:
    // (root, tag, number) of an event.
    using Note = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    using Noted = std::vector<Note>;
    Noted noted(EventKind kind) const {
        Noted found;
        for (const EventRecord& event : events(kind)) found.emplace_back(event.peer, event.tag, event.seq);
        return found;
    }

    // Found after so many polls that found nothing, with so much work between them.
    const EventRecord& probe_in_loop(int polls, int work) {
        int flag = 0;
        mpi.completed.clear();
        for (int i = 0; i < polls; ++i) {
            MPI_Iprobe(0, 5, comm, arg(&flag), kIgnore);
            for (volatile int j = 0; j < work;) j = j + 1;
        }
        mpi.completed = {0};
        mpi.arrivals[0] = {0, 5, 10};
        MPI_Iprobe(0, 5, comm, arg(&flag), kIgnore);
        found_ = events(EventKind::probed);
        return found_.back();
    }
    std::uint64_t ticks(std::string_view function) const {
        std::uint64_t sum = 0;
        for (const CallCell& cell : cells(function)) sum += cell.ticks;
        return sum;
    }

    // Of what the loop took: what its last call is said to have taken, and what is booked as spent in polls.
    struct Shares {
        double found, booked;
    };
    Shares shares_of_loop(int polls, int work) {
        const std::uint64_t booked = ticks("MPI_Iprobe"), before = recorder::now_ticks();
        const EventRecord& found = probe_in_loop(polls, work);
        const auto all = static_cast<double>(recorder::now_ticks() - before);
        return {static_cast<double>(found.exit_ticks - found.entry_ticks) / all,
                static_cast<double>(ticks("MPI_Iprobe") - booked) / all};
    }

private:
    std::vector<EventRecord> found_;
};

TEST_F(Waits, ForACollectiveThatWasStartedHaveItsNumber) {
    int first = 0, second = 0;
    MPI_Iallreduce(0, 0, 1, kByte, 0, comm, arg(&first));
    MPI_Allreduce(0, 0, 1, kByte, 0, comm);
    MPI_Ibcast(0, 1, kByte, 0, comm, arg(&second));
    EXPECT_EQ(noted(EventKind::started), (Noted{{kPeerNone, 0, 0}, {3, 0, 2}})) << "rank 0 of it is 3 in the world";
    int both[] = {second, first};
    MPI_Waitall(2, arg(both), kIgnore);
    EXPECT_EQ(noted(EventKind::completed), (Noted{{3, 0, 2}, {kPeerNone, 0, 0}}));
    EXPECT_EQ(name_of(events(EventKind::started)[0].function), "MPI_Iallreduce");
    EXPECT_EQ(name_of(events(EventKind::completed)[0].function), "MPI_Waitall");
}

TEST_F(Waits, ForAPersistentCollectiveAreTheSameAtEachStart) {
    int request = 0;
    MPI_Allreduce_init(0, 0, 1, kByte, 0, comm, 0, arg(&request));
    EXPECT_TRUE(noted(EventKind::started).empty());
    mpi.completed = {-1};  // the request stays
    for (int i = 0; i < 2; ++i) {
        MPI_Start(arg(&request));
        MPI_Wait(arg(&request), kIgnore);
    }
    EXPECT_EQ(noted(EventKind::started), (Noted{{kPeerNone, 0, 0}, {kPeerNone, 1, 0}}));
    EXPECT_EQ(noted(EventKind::completed), (Noted{{kPeerNone, 0, 0}, {kPeerNone, 1, 0}}));
    EXPECT_EQ(name_of(events(EventKind::started)[0].function), "MPI_Allreduce_init");
}

TEST_F(Waits, OfAProbeAreForTheMessageThatComesNext) {
    mpi.arrivals[0] = {0, 5, 10};
    MPI_Recv(0, 100, kByte, 0, 5, comm, kIgnore);
    MPI_Probe(kAnySource, kAnyTag, comm, kIgnore);
    MPI_Probe(0, 5, comm, kIgnore);
    MPI_Recv(0, 100, kByte, 0, 5, comm, kIgnore);
    EXPECT_EQ(noted(EventKind::probed), (Noted{{3, 5, 1}, {3, 5, 1}}));
    EXPECT_EQ(noted(EventKind::receive), (Noted{{3, 5, 0}, {3, 5, 1}}));
}

// The time that another program takes from us may fall inside a poll or between two, but not in each of many loops.
constexpr int kLoops = 20;

TEST_F(Waits, OfALoopOfPollsBeginWhereTheLoopDoes) {
    Shares most{0, 0};
    for (int i = 0; i < kLoops; ++i) {
        const Shares shares = shares_of_loop(4000, 0);
        most = {std::max(most.found, shares.found), std::max(most.booked, shares.booked)};
        EXPECT_LE(shares.booked, 1.0);
    }
    EXPECT_GT(most.found, 0.5);
    EXPECT_GT(most.booked, 0.5) << "what passes between polls of a loop is spent in it";
    std::uint64_t polls = 0;
    for (const CallCell& cell : cells("MPI_Iprobe")) polls += cell.count;
    EXPECT_EQ(polls, 4001U * kLoops);
}

TEST_F(Waits, AreNotWhatAProgramComputesBetweenPolls) {
    Shares least{1, 1};
    for (int i = 0; i < kLoops; ++i) {
        const Shares shares = shares_of_loop(40, 100'000);
        least = {std::min(least.found, shares.found), std::min(least.booked, shares.booked)};
    }
    EXPECT_LT(least.found, 0.25);
    EXPECT_LT(least.booked, 0.25);
}

TEST_F(Waits, EndWithWhateverElseTheThreadDoesInMpi) {
    int flag = 0, request = 0;
    const std::uint64_t before = recorder::now_ticks();
    mpi.completed.clear();
    for (int i = 0; i < 4000; ++i) MPI_Iprobe(0, 5, comm, arg(&flag), kIgnore);
    MPI_Irecv(0, 100, kByte, 0, 5, comm, arg(&request));
    const std::uint64_t after = recorder::now_ticks();
    mpi.completed = {0};
    mpi.arrivals[request] = {0, 5, 10};
    MPI_Test(arg(&request), arg(&flag), kIgnore);
    EXPECT_GE(events(EventKind::receive).back().entry_ticks, after) << "the loop began at " << before;
}

}  // namespace
}  // namespace clearway::testing
#endif
