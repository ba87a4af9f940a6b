// What was measured before on this cluster: the best way for an operation, a number of ranks and hosts, and a size.
//
// A text file that `clearway bench --save-table` writes and a person may edit: a line `# clearway flow table 1`, then
// lines of `operation ranks hosts block_bytes candidate`. `#` begins a comment. Behind the candidate may stand what
// others took, in per cent of its time: `own=210`. The memory of earlier jobs (earlier_jobs.hpp) is such a file, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/candidate.hpp"
#include "schedule/problem.hpp"

namespace clearway::collectives {

inline constexpr std::string_view kTableTitle = "# clearway flow table 1";

struct Rival {
    schedule::Candidate candidate;
    std::uint32_t percent = 0;
};

struct TableLine {
    schedule::Operation operation = schedule::Operation::alltoall;
    std::uint32_t ranks = 0, hosts = 0;
    std::uint64_t block_bytes = 0;
    schedule::Candidate candidate;
    std::vector<Rival> rivals;
};

struct FlowTable {
    std::vector<TableLine> lines;
    std::uint64_t hash = 0;  // of the text: ranks that read different tables would wait for each other for ever
};

// As it stands in a file, with its end of line.
std::string text_of(const TableLine& line);

// Returns 0 or an errno. Files of more than 1 MiB are cut.
int read_whole(const char* path, std::string& text);

// Returns false, and says in `fault` what is wrong where, if the text is no table.
bool parse_table(std::string_view text, FlowTable& table, std::string& fault);

// The line of the same operation, ranks and hosts whose size is nearest by ratio; null where there is none.
const TableLine* nearest_line(const FlowTable& table, schedule::Operation operation, std::uint32_t ranks,
                              std::uint32_t hosts, std::uint64_t block_bytes);

// The table of CLEARWAY_FLOW_TABLE, read at the first call; empty without one. A bad one is complained of on stderr
// where `speaks`, and counts as none.
const FlowTable& table_of_environment(bool speaks);

}  // namespace clearway::collectives
