// Stands in for an engine: rank 0 prints how many ranks there are, and each argument in brackets; all work for a
// moment. Ends with 3 where an argument is "fails".
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int rank, ranks, fails = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 20; ++i) {
        usleep(2000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%d ranks", ranks);
    for (int i = 1; i < argc; ++i) {
        if (rank == 0) printf(" [%s]", argv[i]);
        if (strcmp(argv[i], "fails") == 0) fails = 1;
    }
    if (rank == 0) printf("\n");
    MPI_Finalize();
    return fails ? 3 : 0;
}
