// Rank 1 leaves in the midst of collective calls, which the others go on with for ever: by a signal that cannot be
// caught, or by MPI_Abort.
//   endings kill|abort
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTS = 20000 };

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int* out = calloc((size_t)ranks * INTS, sizeof(int));
    int* in = calloc((size_t)ranks * INTS, sizeof(int));
    for (int turn = 0;; ++turn) {
        if (rank == 1 && turn == 20) {
            if (argc > 1 && strcmp(argv[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
            raise(SIGKILL);
        }
        MPI_Alltoall(out, INTS, MPI_INT, in, INTS, MPI_INT, MPI_COMM_WORLD);
    }
}
