#include "recorder/mpi/narrow.hpp"

namespace clearway::recorder {

namespace {

// What `question` says of a communicator. Not asked of none at all: the call itself is to tell the program.
int asked(const char* question, Arg comm) {
    int answer = 0;
    if (is_null_comm(as_handle(comm)) || call_real(question, comm, &answer) != 0) return 0;
    return answer;
}

bool has_sides(Arg comm) { return asked("PMPI_Comm_test_inter", comm) != 0; }

}  // namespace

std::uint64_t ranks_opposite(Arg comm) {
    return static_cast<std::uint64_t>(asked(has_sides(comm) ? "PMPI_Comm_remote_size" : "PMPI_Comm_size", comm));
}

std::uint64_t ranks_beside(Arg comm) { return static_cast<std::uint64_t>(asked("PMPI_Comm_size", comm)); }

bool is_root_of(Arg comm, int root) {
    return has_sides(comm) ? root == abi.root : root == asked("PMPI_Comm_rank", comm);
}

}  // namespace clearway::recorder
