// Rank 0 sends SECONDS late, TURNS times; rank 1 waits: in "recv" (MPI_Recv) or in "waitall" (MPI_Irecv, MPI_Waitall).
#include <mpi.h>
#include <string.h>

#include "planted.h"

enum { kMostTurns = 1000, kNumbers = 256 };

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const int receives = strcmp(argv[1], "recv") == 0, turns = atoi(argv[3]);
    const double late = atof(argv[2]);
    static double entry[kMostTurns], leave[kMostTurns], numbers[2][kNumbers];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < turns; ++i) {
        if (rank == 0) {
            sleep_s(late);
            entry[i] = now_s();
            MPI_Send(numbers[0], kNumbers, MPI_DOUBLE, 1, i, MPI_COMM_WORLD);
        } else if (receives) {
            entry[i] = now_s();
            MPI_Recv(numbers[0], kNumbers, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Request request;
            MPI_Irecv(numbers[0], kNumbers, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, &request);
            entry[i] = now_s();
            MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
        }
        leave[i] = now_s();
        // The next turn begins together, and the acknowledgement is no late message itself.
        if (rank == 1) MPI_Send(numbers[1], 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD);
        if (rank == 0) MPI_Recv(numbers[1], 1, MPI_DOUBLE, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    FILE* facts = facts_open(rank);
    fact_series(facts, "entry_s", entry, turns);
    fact_series(facts, "exit_s", leave, turns);
    facts_close(facts);
    MPI_Finalize();
    return 0;
}
