// A rank of one thread that computes for the number of seconds given; and waits then for a library's own thread, if
// there is one (idle_pool.c).
#include <mpi.h>

#include "planted.h"

extern void wait_for_pool(void) __attribute__((weak));

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    MPI_Init(&argc, &argv);
    compute_s(atof(argv[1]));
    if (wait_for_pool != NULL) wait_for_pool();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
