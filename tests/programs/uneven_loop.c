// A loop whose late iterations take longer, divided among threads as OMP_SCHEDULE says.
//   uneven_loop STEPS ITERATIONS LONGEST_S
#include <mpi.h>

#include "planted.h"

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    int rank, ranks;
    const int steps = atoi(argv[1]), iterations = atoi(argv[2]);
    const double longest_s = atof(argv[3]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const double begin = now_s();
    for (int step = 0; step < steps; ++step) {
#ifdef INSIDE
#pragma omp parallel
#pragma omp for schedule(runtime)
#else
#pragma omp parallel for schedule(runtime)
#endif
        for (int i = 0; i < iterations; ++i) compute_s(longest_s * (i + 1) / iterations);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%d steps on %d ranks: %.4f ms a step\n", steps, ranks, (now_s() - begin) * 1e3 / steps);
    MPI_Finalize();
    return 0;
}
