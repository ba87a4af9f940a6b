// A job that gets stuck and is killed. stuck MODE
//   asleep   every rank sleeps after one barrier
//   busy     every rank computes without end, and calls nothing
//   receive  rank 0 sleeps, the others receive what is never sent
//   barrier  rank 0 computes without end, the others stand in MPI_Barrier
//   init     no rank comes to MPI_Init
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "planted.h"

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "asleep";
    if (strcmp(mode, "init") == 0) sleep_s(600);
    MPI_Init(&argc, &argv);
    int rank = 0, message = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(mode, "busy") == 0 || (strcmp(mode, "barrier") == 0 && rank == 0)) compute_s(600);
    if (strcmp(mode, "receive") == 0 && rank != 0)
        MPI_Recv(&message, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(mode, "barrier") == 0) MPI_Barrier(MPI_COMM_WORLD);
    sleep_s(600);
    MPI_Finalize();
    return 0;
}
