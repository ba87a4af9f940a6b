// As weak_large.c, for neighbourhoods, whose arrays have an element for each neighbour: in a ring of two dimensions
// both ways; and in a graph with an edge from each rank to rank 0 alone, so that ranks send to one and receive from all
// or none.
#include <mpi.h>
#include <stdio.h>

#define WEAK __attribute__((weak))
WEAK int MPI_Neighbor_allgatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[], const MPI_Aint[],
                                   MPI_Datatype, MPI_Comm);
WEAK int MPI_Neighbor_alltoallv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*,
                                  const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm);
WEAK int MPI_Neighbor_alltoallw_c(const void*, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], void*,
                                  const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm);

enum { kMost = 8, kEach = 2 };

static int rank;

// In one call: MPICH's launcher mixes what ranks print in pieces.
static void tell(const char* what, int* in) {
    char line[400];
    int length = 0;
    for (int i = 0; i < kMost * kEach; ++i) {
        length += snprintf(line + length, sizeof line - (size_t)length, " %d", in[i]);
        in[i] = 0;
    }
    printf("%d %s%s\n", rank, what, line);
}

static void exchange(MPI_Comm comm) {
    int in[kMost * kEach] = {0}, out[kMost * kEach], counts[kMost], places[kMost];
    MPI_Count wide_counts[kMost];
    MPI_Aint wide_places[kMost], bytes[kMost];
    MPI_Datatype types[kMost];
    for (int i = 0; i < kMost; ++i) {
        wide_counts[i] = counts[i] = kEach;
        wide_places[i] = places[i] = i * kEach;
        bytes[i] = (MPI_Aint)(places[i] * sizeof(int));
        types[i] = MPI_INT;
    }
    for (int i = 0; i < kMost * kEach; ++i) out[i] = 100 * rank + i;
    MPI_Neighbor_allgatherv_c
        ? MPI_Neighbor_allgatherv_c(out, kEach, MPI_INT, in, wide_counts, wide_places, MPI_INT, comm)
        : MPI_Neighbor_allgatherv(out, kEach, MPI_INT, in, counts, places, MPI_INT, comm);
    tell("gathers", in);
    MPI_Neighbor_alltoallv_c
        ? MPI_Neighbor_alltoallv_c(out, wide_counts, wide_places, MPI_INT, in, wide_counts, wide_places, MPI_INT, comm)
        : MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
    tell("has", in);
    MPI_Neighbor_alltoallw_c
        ? MPI_Neighbor_alltoallw_c(out, wide_counts, bytes, types, in, wide_counts, bytes, types, comm)
        : MPI_Neighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, comm);
    tell("has of each type", in);
}

int main(int argc, char** argv) {
    int size, sizes[2] = {1, 1}, periodic[2] = {1, 1}, sources[kMost], ones[kMost], target = 0;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sizes[0] = size;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periodic, 0, &comm);
    exchange(comm);
    MPI_Comm_free(&comm);
    for (int i = 0; i < kMost; ++i) sources[i] = i, ones[i] = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 0 ? size : 0, sources, ones, 1, &target, ones, MPI_INFO_NULL,
                                   0, &comm);
    exchange(comm);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
