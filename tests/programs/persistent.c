// Rank 0 sends by persistent requests: 10 times by MPI_Start, and 10 times two of them by MPI_Startall.
#include <mpi.h>

enum { kBytes = 1000, kTurns = 10 };

int main(int argc, char** argv) {
    static char memory[2][kBytes];
    MPI_Request requests[2];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; ++i)
        rank == 0 ? MPI_Send_init(memory[i], kBytes, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[i])
                  : MPI_Recv_init(memory[i], kBytes, MPI_BYTE, 0, i, MPI_COMM_WORLD, &requests[i]);
    for (int turn = 0; turn < kTurns; ++turn) {
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
    MPI_Finalize();
    return 0;
}
