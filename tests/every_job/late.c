// late TURNS: rank 0 comes 10 ms late to each of so many barriers, and says at the end how many ranks there were.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
    const int turns = argc > 1 ? atoi(argv[1]) : 10;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < turns; ++i) {
        if (rank == 0) usleep(10000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%d ranks\n", ranks);
    MPI_Finalize();
    return 0;
}
