// Topologies, and the collectives among neighbours on them.
#include "calls.h"

enum { kEach = 10, kNeighbours = 2 };

static double out[kEach * kNeighbours], in[kEach * kNeighbours];
static const int counts[kNeighbours] = {3, 3}, displacements[kNeighbours] = {0, 3};

static void fill(const struct World* w, double seed) {
    for (int i = 0; i < kEach * kNeighbours; ++i) {
        out[i] = seed + w->rank * 100.0 + i / 9.0;
        in[i] = -1;
    }
}

static void blocking(const struct World* w, MPI_Comm ring) {
    fill(w, 1);
    CALL(MPI_Neighbor_allgather, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, ring);
    tally_result(in, sizeof in);
    fill(w, 2);
    CALL(MPI_Neighbor_allgatherv, out, 3, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, ring);
    tally_result(in, sizeof in);
    fill(w, 3);
    CALL(MPI_Neighbor_alltoall, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, ring);
    tally_result(in, sizeof in);
    fill(w, 4);
    CALL(MPI_Neighbor_alltoallv, out, counts, displacements, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, ring);
    tally_result(in, sizeof in);
    MPI_Aint byte_displacements[kNeighbours] = {0, 5 * sizeof(double)};
    MPI_Datatype types[kNeighbours] = {MPI_DOUBLE, MPI_DOUBLE};
    fill(w, 5);
    CALL(MPI_Neighbor_alltoallw, out, counts, byte_displacements, types, in, counts, byte_displacements, types, ring);
    tally_result(in, sizeof in);
}

static void nonblocking(const struct World* w, MPI_Comm ring) {
    MPI_Request request;
    MPI_Aint byte_displacements[kNeighbours] = {0, 5 * sizeof(double)};
    MPI_Datatype types[kNeighbours] = {MPI_DOUBLE, MPI_DOUBLE};
    fill(w, 6);
    CALL(MPI_Ineighbor_allgather, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, ring, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    tally_result(in, sizeof in);
    CALL(MPI_Ineighbor_allgatherv, out, 3, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, ring, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    tally_result(in, sizeof in);
    CALL(MPI_Ineighbor_alltoall, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, ring, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    tally_result(in, sizeof in);
    CALL(MPI_Ineighbor_alltoallv, out, counts, displacements, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, ring,
         &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    tally_result(in, sizeof in);
    CALL(MPI_Ineighbor_alltoallw, out, counts, byte_displacements, types, in, counts, byte_displacements, types, ring,
         &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    tally_result(in, sizeof in);
}

void neighbourhoods(const struct World* w) {
    MPI_Comm ring, graph;
    int periodic = 1, size = w->size, dimensions[2] = {0, 0};
    MPI_Dims_create(size, 2, dimensions);
    CALL(MPI_Cart_create, w->comm, 1, &size, &periodic, 0, &ring);
    blocking(w, ring);
    int keep = 1;
    MPI_Comm same_ring;
    CALL(MPI_Cart_sub, ring, &keep, &same_ring);
    CALL(MPI_Comm_free, &same_ring);
    CALL(MPI_Comm_free, &ring);

    int sources[kNeighbours] = {w->previous, w->next}, targets[kNeighbours] = {w->previous, w->next};
    CALL(MPI_Dist_graph_create_adjacent, w->comm, kNeighbours, sources, MPI_UNWEIGHTED, kNeighbours, targets,
         MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    blocking(w, graph);
    CALL(MPI_Comm_free, &graph);

    CALL(MPI_Cart_create, w->comm, 1, &size, &periodic, 0, &ring);
    nonblocking(w, ring);
    CALL(MPI_Comm_free, &ring);
}
