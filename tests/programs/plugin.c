// What late_load.c loads.
#include <mpi.h>

#include "tally.h"

int plugin_main(int argc, char** argv) {
    int rank;
    CALL(MPI_Init, &argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double sum = 0;
    for (int i = 0; i < 100; ++i) {
        double mine = rank + i / 7.0, all;
        CALL_BYTES(MPI_Allreduce, sizeof mine, &mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
    }
    tally_result(&sum, sizeof sum);
    tally_print_checksum(rank);
    CALL(MPI_Finalize);
    tally_write(rank);
    return 0;
}
