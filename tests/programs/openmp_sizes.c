// Teams of two sizes by turns: GCC's runtime ends the threads that the smaller one does not need, and starts others for
// the next. In the body all sleep alike. Arguments: steps, threads of the larger team, milliseconds.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

#include "planted.h"

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const int steps = atoi(argv[1]), threads = atoi(argv[2]);
    const double seconds = atof(argv[3]) * 1e-3;
    long parts = 0;
    MPI_Init(&argc, &argv);
    for (int step = 0; step < steps; ++step) {
#pragma omp parallel num_threads(threads) reduction(+ : parts)
        {
            sleep_s(seconds);
            ++parts;
        }
#pragma omp parallel num_threads(2) reduction(+ : parts)
        ++parts;
    }
    printf("%ld\n", parts);
    MPI_Finalize();
    return 0;
}
