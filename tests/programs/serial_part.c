// Ranks that divide a step's work among them; of a rank's share its first thread does a part alone, and the threads of
// a parallel region the rest.
//   serial_part STEPS ALONE_S SHARED_S: a step's work of both kinds, of all ranks together
#include <mpi.h>
#include <omp.h>

#include "planted.h"

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const int steps = atoi(argv[1]);
    const double alone_s = atof(argv[2]), shared_s = atof(argv[3]);
    int rank = 0, ranks = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const double begin = now_s();
    for (int step = 0; step < steps; ++step) {
        compute_s(alone_s / ranks);
#pragma omp parallel
        compute_s(shared_s / ranks / omp_get_num_threads());
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%d steps on %d ranks: %.4f ms a step\n", steps, ranks, (now_s() - begin) * 1e3 / steps);
    MPI_Finalize();
    return 0;
}
