// Ranks pass a message round a ring, TURNS times; each sleeps LAZY_MS (of the environment) before it passes it on.
// With a BREAK in the environment the last rank leaves with that code. Start-up is not short: START_MS, before
// MPI_Init.
#include <mpi.h>
#include <stdio.h>

#include "planted.h"

static double of_environment(const char* name) { return getenv(name) ? atof(getenv(name)) : 0; }

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    sleep_s(of_environment("START_MS") / 1000);
    MPI_Init(&argc, &argv);
    int rank, size, message = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < atoi(argv[1]); ++i) {
        sleep_s(of_environment("LAZY_MS") / 1000);
        MPI_Sendrecv_replace(&message, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
    const int code = rank == size - 1 ? (int)of_environment("BREAK") : 0;
    if (code) {
        fprintf(stderr, "planted: broken\n");
        fflush(stderr);
        exit(code);
    }
    MPI_Finalize();
    return 0;
}
