// Receives that are posted, cancelled, and posted again: the messages that come after belong to those that stayed.
#include <mpi.h>
#include <stdio.h>

#include "tally.h"

enum { kRounds = 20 };

int main(int argc, char** argv) {
    int rank, size, number = 0, wrong = 0;
    CALL(MPI_Init, &argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int other = 1 - rank;
    for (int round = 0; round < kRounds && rank < 2; ++round) {
        MPI_Request requests[3];
        MPI_Status status;
        int in[3] = {-1, -1, -1}, cancelled = 0;
        for (int i = 0; i < 3; ++i) CALL(MPI_Irecv, &in[i], 1, MPI_INT, other, 5, MPI_COMM_WORLD, &requests[i]);
        CALL(MPI_Cancel, &requests[0]);
        CALL(MPI_Wait, &requests[0], &status);
        MPI_Test_cancelled(&status, &cancelled);
        wrong += !cancelled;
        CALL(MPI_Barrier, MPI_COMM_WORLD);
        for (int i = 0; i < 2; ++i, ++number)
            CALL_BYTES(MPI_Send, sizeof number, &number, 1, MPI_INT, other, 5, MPI_COMM_WORLD);
        CALL_BYTES(MPI_Waitall, 2 * sizeof number, 2, requests + 1, MPI_STATUSES_IGNORE);
        wrong += in[1] != number - 2 || in[2] != number - 1;
    }
    printf("rank %d wrong %d\n", rank, wrong);
    CALL(MPI_Finalize);
    tally_write(rank);
    return wrong;
}
