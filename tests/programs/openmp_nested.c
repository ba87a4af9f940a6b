// Regions in a region: two threads, each with a team of two of its own, of which one computes and the other waits.
// Argument: seconds of computing.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

#include "planted.h"

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const double seconds = atof(argv[1]);
    int parts = 0;
    MPI_Init(&argc, &argv);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : parts)
#pragma omp parallel num_threads(2) reduction(+ : parts)
    {
        ++parts;
        if (omp_get_thread_num() == 0) compute_s(seconds);
    }
    printf("%d\n", parts);
    MPI_Finalize();
    return 0;
}
