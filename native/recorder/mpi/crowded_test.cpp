// What a record does that is full. It stays full, so this is the last file of the tests.
#include "recorder/testing/recorded.hpp"

using clearway::Arg;
extern "C" int MPI_Send(Arg, Arg, Arg, Arg, Arg, Arg);

namespace clearway::testing {
namespace {

using recorder::process;

class Crowded : public Recorded {};

TEST_F(Crowded, CallsWithTooManyPeersAreFoldedTogether) {
    constexpr int kMany = 33'000;  // CallTable::kMaxCells is 32,768
    std::vector<int> members(kMany);
    for (int i = 0; i < kMany; ++i) members[static_cast<std::size_t>(i)] = kMany - 1 - i;
    comm = 0x800000;
    mpi.comms[comm] = {members, 0};
    index = recorder::comm_of(comm).index;
    for (int peer = 0; peer < kMany; ++peer) MPI_Send(0, 1, kByte, peer, 0, comm);
    std::uint64_t sum = 0, folded = 0;
    for (const CallCell& cell : cells("MPI_Send")) {
        sum += cell.bytes;
        if (cell.peer == kPeerOther) folded += cell.count;
    }
    EXPECT_EQ(sum, kMany) << "none is lost";
    EXPECT_GT(folded, 200U);
    EXPECT_EQ(process.file.header()->dropped[static_cast<unsigned>(SegmentKind::calls)], folded);
    // There were more events than have a place, too: those of some windows of time are left.
    EXPECT_GE(process.file.header()->event_level, 1U);
    EXPECT_LT(events(EventKind::send).size(), kMany);
    EXPECT_EQ(process.file.header()->dropped[static_cast<unsigned>(SegmentKind::events)], 0U);
}

}  // namespace
}  // namespace clearway::testing
