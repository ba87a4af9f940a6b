// Whom a rank waits for in a neighbourhood collective: those that its communicator's topology lets it receive from.
#include <algorithm>
#include <cstdio>

#include "recorder/mpi/comms.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr int kMostSources = 96;           // as many as a fact has room for
constexpr std::uint16_t kMostComms = 256;  // those made later stay without

// Ranks in the communicator; their number, or -1 where it is not known or too large.
int cartesian_sources(const CommInfo& info, int* sources) {
    int dimensions = 0, count = 0;
    if (call_real("PMPI_Cartdim_get", info.handle, &dimensions) != 0 || 2 * dimensions > kMostSources) return -1;
    for (int dimension = 0; dimension < dimensions; ++dimension, count += 2)
        if (call_real("PMPI_Cart_shift", info.handle, dimension, 1, &sources[count], &sources[count + 1]) != 0)
            return -1;
    return count;
}

int graph_sources(const CommInfo& info, int* sources) {
    int count = 0;
    if (call_real("PMPI_Graph_neighbors_count", info.handle, info.my_rank, &count) != 0 || count > kMostSources)
        return -1;
    return call_real("PMPI_Graph_neighbors", info.handle, info.my_rank, count, sources) == 0 ? count : -1;
}

int distributed_graph_sources(const CommInfo& info, int* sources) {
    int in = 0, out = 0, weighted = 0;
    int weights[kMostSources], targets[kMostSources], target_weights[kMostSources];
    if (call_real("PMPI_Dist_graph_neighbors_count", info.handle, &in, &out, &weighted) != 0) return -1;
    if (in > kMostSources || out > kMostSources) return -1;
    const int result =
        call_real("PMPI_Dist_graph_neighbors", info.handle, in, sources, weights, out, targets, target_weights);
    return result == 0 ? in : -1;
}

int find_sources(const CommInfo& info, int* sources) {
    int topology = 0;
    if (call_real("PMPI_Topo_test", info.handle, &topology) != 0) return -1;
    if (topology == abi.cartesian) return cartesian_sources(info, sources);
    if (topology == abi.graph) return graph_sources(info, sources);
    return topology == abi.distributed_graph ? distributed_graph_sources(info, sources) : -1;
}

}  // namespace

void describe_neighbours(Arg comm) {
    CommInfo& info = comm_of(comm);
    if (info.sources_told || info.handle == 0) return;
    info.sources_told = true;
    int sources[kMostSources];
    const int count = info.index < kMostComms ? find_sources(info, sources) : -1;
    if (count < 0) return;
    char name[sizeof Fact::name], text[sizeof Fact::text] = "";
    std::size_t length = 0;
    for (int i = 0; i < count; ++i) {
        const std::int32_t rank = world_rank(info, sources[i]);
        if (rank < 0) continue;
        const int more = std::snprintf(text + length, sizeof text - length, "%s%d", length != 0 ? "," : "", rank);
        length += static_cast<std::size_t>(std::max(more, 0));
        if (length >= sizeof text) return;  // some would be missing
    }
    std::snprintf(name, sizeof name, "comm.%u.sources", static_cast<unsigned>(info.index));
    add_fact(name, text);
}

}  // namespace clearway::recorder
