// A job that hangs, and is killed. hang MODE
//   receive   ranks 0 and 1 receive from each other what neither has sent; the others stand in MPI_Barrier
//   send      ranks 0 and 1 send each other more than any MPI keeps, and receive afterwards; the others in MPI_Barrier
//   waitall   all receive from their neighbour on a ring, on a communicator of their own, before any sends
//   bcast     rank 0 calls MPI_Bcast where the others call MPI_Allreduce
//   fewer     rank 2 makes one collective call fewer than the others, and finalizes
//   busy      rank 1 sleeps where the others call MPI_Allreduce
//   healthy   nothing hangs: steps of 20 ms without end, in which every rank is late in turn
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "planted.h"

static int is(int argc, char** argv, const char* mode) { return argc > 1 && strcmp(argv[1], mode) == 0; }

int main(int argc, char** argv) {
    enum { kInts = 4 << 20 };
    int* data = calloc(2 * kInts, sizeof *data);
    int rank = 0, size = 0, sum[3] = {0, 0, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 41; ++i) MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    if (is(argc, argv, "receive") && rank < 2)
        MPI_Recv(data, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is(argc, argv, "send") && rank < 2) {
        MPI_Send(data, kInts, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD);
        MPI_Recv(data, kInts, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (is(argc, argv, "waitall")) {
        MPI_Comm ring = MPI_COMM_NULL;
        MPI_Request requests[1];
        MPI_Comm_dup(MPI_COMM_WORLD, &ring);
        MPI_Comm_set_name(ring, "ring");
        MPI_Irecv(data, 1, MPI_INT, (rank + 1) % size, 9, ring, &requests[0]);
        MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
    }
    if (is(argc, argv, "bcast") && rank == 0) {
        MPI_Bcast(data, kInts, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (is(argc, argv, "busy") && rank == 1) sleep_s(600);
    while (is(argc, argv, "healthy")) {
        sum[0] = (sum[0] + 1) % size;
        compute_s(rank == sum[0] ? 0.02 : 0.01);
        MPI_Bcast(sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (!(is(argc, argv, "fewer") && rank == 2))
        MPI_Allreduce(MPI_IN_PLACE, data, kInts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    free(data);
    MPI_Finalize();
    return 0;
}
