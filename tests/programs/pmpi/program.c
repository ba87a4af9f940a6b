// What a program calls with its own MPI_ names, and with PMPI_ ones, which no tool is to see; and MPI_Pcontrol.
#include <mpi.h>
#include <stdio.h>

#include "../tally.h"

enum { kMost = 64 };

int main(int argc, char** argv) {
    int rank, size, out[kMost], in[kMost], wrong = 0;
    CALL(MPI_Init, &argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int round = 0; round < 40; ++round) {
        for (int i = 0; i < size; ++i) out[i] = 100 * rank + i + round;
        if (round % 4 == 3)
            tally_call("MPI_Alltoall", -1), PMPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
        else
            CALL(MPI_Alltoall, out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < size; ++i) wrong += in[i] != 100 * i + rank + round;
        CALL(MPI_Allgather, &out[0], 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    }
    for (int round = 0; round < 7; ++round) {
        MPI_Request requests[2];
        CALL(MPI_Irecv, &in[0], 1, MPI_INT, previous, 3, MPI_COMM_WORLD, &requests[0]);
        CALL(MPI_Isend, &rank, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[1]);
        CALL(MPI_Waitall, 2, requests, MPI_STATUSES_IGNORE);
        wrong += in[0] != previous;
        MPI_Pcontrol(round);
    }
    MPI_Comm copy;
    CALL(MPI_Comm_dup, MPI_COMM_WORLD, &copy);
    CALL(MPI_Barrier, copy);
    CALL(MPI_Comm_free, &copy);
    printf("rank %d wrong %d\n", rank, wrong);
    fflush(stdout);
    CALL(MPI_Finalize);
    tally_write(rank);
    return wrong != 0;
}
