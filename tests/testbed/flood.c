/* All-to-all the way that floods a switch: every rank sends to all others at once, in ascending order.
   flood BYTES TURNS: rank 0 prints the seconds of a turn. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int bytes = atoi(argv[1]), turns = atoi(argv[2]);
    char *out = calloc(size, bytes), *in = calloc(size, bytes);
    MPI_Request* requests = malloc(2 * size * sizeof *requests);
    const double begin = MPI_Wtime();
    for (int turn = 0; turn < turns; ++turn) {
        for (int peer = 0; peer < size; ++peer)
            MPI_Irecv(in + (size_t)peer * bytes, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, requests + peer);
        for (int peer = 0; peer < size; ++peer)
            MPI_Isend(out + (size_t)peer * bytes, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, requests + size + peer);
        MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%.6f\n", (MPI_Wtime() - begin) / turns);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
