/* Each rank says in one line where it is and what it was told: RANK OF HOST VALUE-OF-$TOLD VALUE-OF-$CLEARWAY_TOLD.
   Ends with the exit code that is the first argument, after a sum over all ranks that must be right. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char* told(const char* name) {
    const char* value = getenv(name);
    return value ? value : "-";
}

int main(int argc, char** argv) {
    int rank, size, sum = 0;
    char host[256];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    gethostname(host, sizeof host);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum == size * (size - 1) / 2) printf("%d %d %s %s %s\n", rank, size, host, told("TOLD"), told("CLEARWAY_TOLD"));
    fflush(stdout);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
