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

struct Neighbours {
    int from = 0, to = 0;
};

Neighbours neighbours_in(Arg comm) {
    const int topology = asked("PMPI_Topo_test", comm);
    Neighbours found;
    if (topology == abi.distributed_graph) {
        int weighted = 0;
        if (call_real("PMPI_Dist_graph_neighbors_count", comm, &found.from, &found.to, &weighted) != 0) return {};
    } else if (topology == abi.cartesian) {
        found.from = found.to = 2 * asked("PMPI_Cartdim_get", comm);
    } else if (topology == abi.graph) {
        const int rank = asked("PMPI_Comm_rank", comm);
        if (call_real("PMPI_Graph_neighbors_count", comm, rank, &found.from) != 0) return {};
        found.to = found.from;
    }
    return found;
}

}  // namespace

std::uint64_t ranks_opposite(Arg comm) {
    return static_cast<std::uint64_t>(asked(has_sides(comm) ? "PMPI_Comm_remote_size" : "PMPI_Comm_size", comm));
}

std::uint64_t ranks_beside(Arg comm) { return static_cast<std::uint64_t>(asked("PMPI_Comm_size", comm)); }

bool is_root_of(Arg comm, int root) {
    return has_sides(comm) ? root == abi.root : root == asked("PMPI_Comm_rank", comm);
}

std::uint64_t neighbours_from(Arg comm) { return static_cast<std::uint64_t>(neighbours_in(comm).from); }

std::uint64_t neighbours_to(Arg comm) { return static_cast<std::uint64_t>(neighbours_in(comm).to); }

}  // namespace clearway::recorder
