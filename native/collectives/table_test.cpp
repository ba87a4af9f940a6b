#include "collectives/table.hpp"

#include <gtest/gtest.h>
#include <string>

namespace clearway::collectives {
namespace {

using schedule::Operation;

constexpr char kText[] =
    "# clearway flow table 1\n"
    "# operation ranks hosts block_bytes candidate\n"
    "alltoall 8 8 1024 bruck\n"
    "\n"
    "alltoall 8 8 65536 pairwise+token:12000,chunk:8000  # 2.3 MB/s\n"
    "alltoall 16 8 65536 own\r\n"
    "allgatherv 8 8 4096 ring\n";

FlowTable parsed(const std::string& text) {
    FlowTable table;
    std::string fault;
    EXPECT_TRUE(parse_table(text, table, fault)) << fault;
    return table;
}

std::string fault_of(const std::string& line) {
    FlowTable table;
    std::string fault;
    EXPECT_FALSE(parse_table("# clearway flow table 1\n" + line, table, fault)) << line;
    return fault;
}

std::string nearest(const FlowTable& table, Operation operation, std::uint32_t ranks, std::uint64_t bytes) {
    const TableLine* line = nearest_line(table, operation, ranks, 8, bytes);
    return line == nullptr ? "none" : text_of(line->candidate);
}

TEST(Table, FindsTheNearestSize) {
    const FlowTable table = parsed(kText);
    EXPECT_EQ(table.lines.size(), 4U);
    EXPECT_EQ(nearest(table, Operation::alltoall, 8, 0), "bruck");
    EXPECT_EQ(nearest(table, Operation::alltoall, 8, 7500), "bruck");
    EXPECT_EQ(nearest(table, Operation::alltoall, 8, 9000), "pairwise+token:12000,chunk:8000");
    EXPECT_EQ(nearest(table, Operation::alltoall, 8, ~std::uint64_t{0}), "pairwise+token:12000,chunk:8000");
    EXPECT_EQ(nearest(table, Operation::alltoall, 16, 1), "own");
    EXPECT_EQ(nearest(table, Operation::alltoallv, 8, 1024), "none");
    EXPECT_EQ(nearest(table, Operation::alltoall, 4, 1024), "none");
}

TEST(Table, TellsWhichLineIsWrong) {
    EXPECT_EQ(fault_of("alltoall 8 8 64 fast"), "line 2: it has no known algorithm");
    EXPECT_EQ(fault_of("\nbroadcast 8 8 64 own"), "line 3: it has no known operation");
    EXPECT_EQ(fault_of("alltoall 8 eight 64 own"), "line 2: it needs three numbers: ranks, hosts and bytes");
    EXPECT_EQ(fault_of("alltoall 8 8 64"), "line 2: it has no known algorithm");
    EXPECT_EQ(fault_of("alltoall 8 8 64 ring"), "line 2: the algorithm cannot do the operation");
    EXPECT_EQ(fault_of("alltoall 8 8 64 own 7"), "line 2: there is something after the algorithm");
}

TEST(Table, KeepsWhatTheOthersTook) {
    const std::string line = "alltoall 8 8 65536 ordered,chunk:8000 pairwise+token:12000=104 own=210\n";
    const FlowTable table = parsed("# clearway flow table 1\n" + line);
    ASSERT_EQ(table.lines.size(), 1U);
    ASSERT_EQ(table.lines[0].rivals.size(), 2U);
    EXPECT_EQ(table.lines[0].rivals[1].percent, 210U);
    EXPECT_EQ(text_of(table.lines[0]), line);
    EXPECT_EQ(fault_of("alltoall 8 8 64 own ordered=fast"), "line 2: there is something after the algorithm");
}

TEST(Table, NeedsItsTitle) {
    FlowTable table;
    std::string fault;
    EXPECT_FALSE(parse_table("alltoall 8 8 64 own\n", table, fault));
    EXPECT_NE(fault.find("# clearway flow table 1"), std::string::npos);
}

TEST(Table, DiffersByItsText) {
    EXPECT_EQ(parsed(kText).hash, parsed(kText).hash);
    EXPECT_NE(parsed(kText).hash, parsed(std::string(kText) + "allgather 8 8 1 own\n").hash);
}

}  // namespace
}  // namespace clearway::collectives
