// Which message is which: numbers of messages, and requests whose handles complete, are cancelled and come back.
#include "recorder/testing/recorded.hpp"

using clearway::Arg;
extern "C" {
int MPI_Send(Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Recv(Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Sendrecv(Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Irecv(Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Recv_init(Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Send_init(Arg, Arg, Arg, Arg, Arg, Arg, Arg);
int MPI_Start(Arg);
int MPI_Wait(Arg, Arg);
int MPI_Test(Arg, Arg, Arg);
int MPI_Waitall(Arg, Arg, Arg);
int MPI_Waitany(Arg, Arg, Arg, Arg);
int MPI_Waitsome(Arg, Arg, Arg, Arg, Arg);
int MPI_Cancel(Arg);
int MPI_Request_free(Arg);
int MPI_Mprobe(Arg, Arg, Arg, Arg, Arg);
int MPI_Mrecv(Arg, Arg, Arg, Arg, Arg);
}

namespace clearway::testing {
namespace {

// Rank 0 of the communicator is 3 in the world, rank 3 is 0.
class Messages : public Recorded {
protected:
    int receive(int source, int tag, int bytes = 100) {
        int request = 0;
        EXPECT_EQ(MPI_Irecv(0, bytes, kByte, source, tag, comm, arg(&request)), mpi.result);
        return request;
    }
    void wait(int request, const Arrival& arrival) {
        mpi.arrivals[request] = arrival;
        MPI_Wait(arg(&request), kIgnore);
    }
    // (peer, tag, number) of each, in the order in which they were recorded.
    std::vector<std::array<std::int64_t, 3>> noted(EventKind kind) const {
        std::vector<std::array<std::int64_t, 3>> found;
        for (const EventRecord& event : events(kind)) found.push_back({event.peer, event.tag, event.seq});
        return found;
    }
    using Noted = std::vector<std::array<std::int64_t, 3>>;
};

TEST_F(Messages, AreNumberedByPeerTagAndDirection) {
    MPI_Send(0, 1, kByte, 0, 5, comm);
    MPI_Send(0, 1, kByte, 0, 6, comm);
    MPI_Send(0, 1, kByte, 3, 5, comm);
    MPI_Send(0, 1, kByte, 0, 5, comm);
    EXPECT_EQ(noted(EventKind::send), (Noted{{3, 5, 0}, {3, 6, 0}, {0, 5, 0}, {3, 5, 1}}));
    mpi.arrivals[0] = {0, 5, 17};
    Status status{};
    MPI_Recv(0, 100, kByte, 0, 5, comm, arg(&status));
    EXPECT_EQ(noted(EventKind::receive), (Noted{{3, 5, 0}}));
    EXPECT_EQ(events(EventKind::receive)[0].bytes, 17U) << "what came, not what there was room for";
}

TEST_F(Messages, FromAnySourceAreThoseOfWhoSentThem) {
    mpi.arrivals[0] = {3, 9, 17};
    MPI_Recv(0, 100, kByte, kAnySource, kAnyTag, comm, kIgnore);  // nor does the program ask who
    ASSERT_EQ(cells("MPI_Recv").size(), 1U);
    EXPECT_EQ(cells("MPI_Recv")[0].peer, 0);
    EXPECT_EQ(cells("MPI_Recv")[0].bytes, 17U);
    const int request = receive(kAnySource, kAnyTag);
    EXPECT_TRUE(noted(EventKind::posted).empty()) << "its number is not known yet";
    wait(request, {3, 9, 18});
    EXPECT_EQ(noted(EventKind::receive), (Noted{{0, 9, 0}, {0, 9, 1}}));
}

TEST_F(Messages, SentAndReceivedAtOnceAreTwo) {
    mpi.arrivals[0] = {3, 2, 8};
    MPI_Sendrecv(0, 4, kByte, 0, 1, 0, 100, kByte, 3, 2, comm, kIgnore);
    EXPECT_EQ(noted(EventKind::send), (Noted{{3, 1, 0}}));
    EXPECT_EQ(noted(EventKind::receive), (Noted{{0, 2, 0}}));
    MPI_Sendrecv(0, 4, kByte, kProcNull, 1, 0, 100, kByte, kProcNull, 2, comm, kIgnore);
    EXPECT_EQ(noted(EventKind::send).size(), 1U);
    EXPECT_EQ(noted(EventKind::receive).size(), 1U);
}

TEST_F(Messages, ArePairedInTheOrderOfPostingWhateverCompletesFirst) {
    int requests[] = {receive(0, 5), receive(0, 5), receive(3, 5)};
    mpi.arrivals[requests[0]] = {0, 5, 10};
    mpi.arrivals[requests[1]] = {0, 5, 11};
    mpi.arrivals[requests[2]] = {3, 5, 12};
    mpi.completed = {2};
    int index_of_one = 0, count_of_some = 0, indices[3];
    MPI_Waitany(3, arg(requests), arg(&index_of_one), kIgnore);
    mpi.completed = {1, 0};
    Status statuses[3];
    MPI_Waitsome(3, arg(requests), arg(&count_of_some), arg(indices), arg(statuses));
    EXPECT_EQ(noted(EventKind::posted), (Noted{{3, 5, 0}, {3, 5, 1}, {0, 5, 0}}));
    EXPECT_EQ(noted(EventKind::receive), (Noted{{0, 5, 0}, {3, 5, 1}, {3, 5, 0}}));
    EXPECT_EQ(events(EventKind::receive)[1].bytes, 11U);
}

TEST_F(Messages, AreTakenOnlyByTheTestThatCompletesThem) {
    int request = receive(0, 5), flag = 1;
    mpi.arrivals[request] = {0, 5, 10};
    for (int i = 0; i < 9; ++i) MPI_Test(arg(&request), arg(&flag), kIgnore);
    EXPECT_EQ(flag, 0);
    EXPECT_TRUE(noted(EventKind::receive).empty());
    mpi.completed = {0};
    MPI_Test(arg(&request), arg(&flag), kIgnore);
    EXPECT_EQ(noted(EventKind::receive), (Noted{{3, 5, 0}}));
    MPI_Test(arg(&request), arg(&flag), kIgnore);  // MPI_REQUEST_NULL now
    EXPECT_EQ(noted(EventKind::receive).size(), 1U);
}

TEST_F(Messages, OfAHandleThatComesBackAreTheNewOnes) {
    const int first = receive(0, 5);
    wait(first, {0, 5, 10});
    mpi.next_handle = first;
    ASSERT_EQ(receive(3, 6), first);
    wait(first, {3, 6, 11});
    EXPECT_EQ(noted(EventKind::receive), (Noted{{3, 5, 0}, {0, 6, 0}}));
    // One that ended out of sight leaves nothing behind.
    mpi.next_handle = first;
    int freed = receive(0, 7);
    MPI_Request_free(arg(&freed));
    wait(first, {0, 7, 12});
    EXPECT_EQ(noted(EventKind::receive).size(), 2U);
}

TEST_F(Messages, ThatWereNotPostedLeaveNoRequest) {
    mpi.result = 3;
    receive(0, 5);
    mpi.result = 0;
    EXPECT_TRUE(noted(EventKind::posted).empty());
    const int request = receive(0, 5);
    wait(request, {0, 5, 10});
    EXPECT_EQ(noted(EventKind::receive), (Noted{{3, 5, 0}}));
}

TEST_F(Messages, BehindACancelledOneMoveUp) {
    int first = receive(0, 5), second = receive(0, 5);
    MPI_Cancel(arg(&first));
    wait(first, {0, 5, 0, true});
    wait(second, {0, 5, 10});
    EXPECT_EQ(noted(EventKind::posted), (Noted{{3, 5, 0}}));
    EXPECT_EQ(noted(EventKind::receive), (Noted{{3, 5, 0}}));
    const int third = receive(0, 5);
    wait(third, {0, 5, 10});
    EXPECT_EQ(noted(EventKind::receive), (Noted{{3, 5, 0}, {3, 5, 1}}));
}

TEST_F(Messages, CancelledAsSoonAsPostedAreAsIfTheyHadNeverBeen) {
    const int first = receive(0, 5);
    for (int i = 0; i < 3; ++i) {
        int last = receive(0, 5);
        MPI_Cancel(arg(&last));
        wait(last, {0, 5, 0, true});
    }
    EXPECT_EQ(noted(EventKind::posted), (Noted{{3, 5, 0}}));
    wait(first, {0, 5, 10});
    receive(0, 5);
    EXPECT_EQ(noted(EventKind::posted), (Noted{{3, 5, 0}, {3, 5, 1}}));
}

// Else each cancelled one would cost a look at every request and event that there is.
TEST_F(Messages, BehindTheNewestOneNothingIsLookedFor) {
    const int first = receive(0, 5), second = receive(0, 5);
    recorder::Posted earlier{}, newest{};
    ASSERT_TRUE(recorder::find_posted(first, earlier) && recorder::find_posted(second, newest));
    EXPECT_FALSE(recorder::withdraw_posted(newest));
    receive(0, 5);
    EXPECT_TRUE(recorder::withdraw_posted(earlier));
}

TEST_F(Messages, ThatWereCancelledTooLateCount) {
    int request = receive(0, 5);
    MPI_Cancel(arg(&request));
    wait(request, {0, 5, 10});
    EXPECT_EQ(noted(EventKind::receive), (Noted{{3, 5, 0}}));
}

TEST_F(Messages, OfAPersistentRequestAreOneForEachStart) {
    int receive_request = 0, send_request = 0;
    MPI_Recv_init(0, 100, kByte, 0, 5, comm, arg(&receive_request));
    MPI_Send_init(0, 100, kByte, 3, 5, comm, arg(&send_request));
    EXPECT_TRUE(noted(EventKind::posted).empty());
    mpi.completed = {-1};  // the request stays
    for (std::uint64_t i = 0; i < 2; ++i) {
        MPI_Start(arg(&receive_request));
        MPI_Start(arg(&send_request));
        wait(receive_request, {0, 5, 20 + i});
        wait(send_request, {});
    }
    EXPECT_EQ(noted(EventKind::posted), (Noted{{3, 5, 0}, {3, 5, 1}}));
    EXPECT_EQ(noted(EventKind::send), (Noted{{0, 5, 0}, {0, 5, 1}}));
    EXPECT_EQ(noted(EventKind::receive), (Noted{{3, 5, 0}, {3, 5, 1}}));
    EXPECT_EQ(events(EventKind::receive)[1].bytes, 21U);
}

TEST_F(Messages, ThatWereProbedAreReceivedOnce) {
    int message = 0;
    mpi.arrivals[0] = {3, 8, 30};
    MPI_Mprobe(kAnySource, kAnyTag, comm, arg(&message), kIgnore);
    mpi.arrivals[message] = {3, 8, 30};
    MPI_Mrecv(0, 100, kByte, arg(&message), kIgnore);
    EXPECT_EQ(noted(EventKind::receive), (Noted{{0, 8, 0}}));
    EXPECT_EQ(cells("MPI_Mrecv")[0].bytes, 30U);
}

TEST_F(Messages, OfMoreThanThereIsRoomForAreCountedTogether) {
    std::vector<int> requests;  // more than Requests holds inside itself
    for (int i = 0; i < 300; ++i) requests.push_back(receive(0, 5, 10));
    std::vector<Status> statuses(requests.size());
    for (const int request : requests) mpi.arrivals[request] = {0, 5, 10};
    MPI_Waitall(static_cast<Arg>(requests.size()), arg(requests.data()), arg(statuses.data()));
    EXPECT_EQ(events(EventKind::receive).size(), 300U);
    EXPECT_EQ(requests[299], kNoRequest);
}

}  // namespace
}  // namespace clearway::testing
