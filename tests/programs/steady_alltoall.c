// steady_alltoall SECONDS: computes for 10 ms and exchanges 60 kB with each other rank, again and again.
#include <mpi.h>

#include "planted.h"

enum { block = 60000 };

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const double seconds = argc > 1 ? atof(argv[1]) : 1.0, begin = now_s();
    int ranks = 0, stop = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char* sent = calloc((size_t)ranks, block);
    char* received = calloc((size_t)ranks, block);
    while (!stop) {
        sleep_s(0.01);
        MPI_Alltoall(sent, block, MPI_CHAR, received, block, MPI_CHAR, MPI_COMM_WORLD);
        stop = now_s() - begin > seconds;
        MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    free(sent);
    free(received);
    MPI_Finalize();
    return 0;
}
