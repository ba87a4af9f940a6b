// Calls the large-count functions where there are any, as mpi4py does: it has weak references to them, and calls the
// others where these lead nowhere. Prints what arrived.
#include <mpi.h>
#include <stdio.h>

#define WEAK __attribute__((weak))
WEAK int MPI_Send_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
WEAK int MPI_Recv_c(void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
WEAK int MPI_Allreduce_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
WEAK int MPI_Gatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype,
                       int, MPI_Comm);
WEAK int MPI_Alltoallv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*, const MPI_Count[],
                         const MPI_Aint[], MPI_Datatype, MPI_Comm);
WEAK int MPI_Ialltoallv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*, const MPI_Count[],
                          const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Request*);
WEAK int MPI_Allgather_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm);

enum { kMost = 8 };

int main(int argc, char** argv) {
    int rank, size, in[kMost * kMost] = {0}, out[kMost * kMost];
    int counts[kMost], places[kMost];
    MPI_Count wide_counts[kMost];
    MPI_Aint wide_places[kMost];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; ++i) {  // rank r has r + s of each to s, and of each from s
        wide_counts[i] = counts[i] = rank + i;
        wide_places[i] = places[i] = i * kMost;
    }
    for (int i = 0; i < kMost * kMost; ++i) out[i] = 100 * rank + i;

    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    if (rank % 2 == 0)
        MPI_Send_c ? MPI_Send_c(out, 3, MPI_INT, to, 1, MPI_COMM_WORLD)
                   : MPI_Send(out, 3, MPI_INT, to, 1, MPI_COMM_WORLD);
    MPI_Recv_c ? MPI_Recv_c(in, 3, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
               : MPI_Recv(in, 3, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank % 2 == 1)
        MPI_Send_c ? MPI_Send_c(out, 3, MPI_INT, to, 1, MPI_COMM_WORLD)
                   : MPI_Send(out, 3, MPI_INT, to, 1, MPI_COMM_WORLD);
    MPI_Allreduce_c ? MPI_Allreduce_c(out, in + 3, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD)
                    : MPI_Allreduce(out, in + 3, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d has %d %d %d %d\n", rank, in[0], in[2], in[3], in[4]);
    for (int which = 0; which < 4; ++which) {
        for (int i = 0; i < kMost * kMost; ++i) in[i] = 0;
        if (which == 0)
            MPI_Alltoallv_c ? MPI_Alltoallv_c(out, wide_counts, wide_places, MPI_INT, in, wide_counts, wide_places,
                                              MPI_INT, MPI_COMM_WORLD)
                            : MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
        if (which == 1) {
            MPI_Ialltoallv_c
                ? MPI_Ialltoallv_c(out, wide_counts, wide_places, MPI_INT, in, wide_counts, wide_places, MPI_INT,
                                   MPI_COMM_WORLD, &request)
                : MPI_Ialltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (which == 2)  // the arrays are the root's, who is rank 0: others may have none
            MPI_Gatherv_c ? MPI_Gatherv_c(out, rank, MPI_INT, in, rank == 0 ? wide_counts : (void*)1,
                                          rank == 0 ? wide_places : (void*)1, MPI_INT, 0, MPI_COMM_WORLD)
                          : MPI_Gatherv(out, rank, MPI_INT, in, rank == 0 ? counts : NULL, rank == 0 ? places : NULL,
                                        MPI_INT, 0, MPI_COMM_WORLD);
        if (which == 3)
            MPI_Allgather_c ? MPI_Allgather_c(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD)
                            : MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
        long sum = 0;
        for (int i = 0; i < kMost * kMost; ++i) sum += (i + 1L) * in[i];
        printf("%d has %ld after %d\n", rank, sum, which);
    }
    MPI_Finalize();
    return 0;
}
