// Ranks of threads, as many as the OpenMP runtime starts: these divide the same work among them, and wait for each
// other.
//   shared_work STEPS REGIONS SECONDS [ASLEEP]: parallel regions in a step, what the threads of a rank compute in one,
//   and how long a device then computes in their place
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "planted.h"

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const int steps = atoi(argv[1]), regions = atoi(argv[2]);
    const double region_s = atof(argv[3]), asleep_s = argc > 4 ? atof(argv[4]) : 0;
    double sum = 0, all = 0;
    int rank = 0, ranks = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const double begin = now_s();
    for (int step = 0; step < steps; ++step) {
        for (int region = 0; region < regions; ++region) {
#pragma omp parallel
            compute_s(region_s / omp_get_num_threads());
        }
        if (asleep_s > 0) compute_elsewhere_s(asleep_s);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%d steps on %d ranks: %.4f ms a step\n", steps, ranks, (now_s() - begin) * 1e3 / steps);
    MPI_Finalize();
    return 0;
}
