// Each rank computes SECONDS of CPU time between barriers, TURNS times, while all share too few cores.
#include <mpi.h>

#include "planted.h"

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const double seconds = atof(argv[1]);
    const int turns = atoi(argv[2]);
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double first_delay = run_delay_s();
    double computing = 0, waiting = 0;
    for (int i = 0; i < turns; ++i) {
        const double cpu = cpu_s(), delay = run_delay_s();
        compute_s(seconds);
        computing += cpu_s() - cpu;
        waiting += run_delay_s() - delay;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    FILE* facts = facts_open(rank);
    fact(facts, "compute_s", computing);
    fact(facts, "core_wait_outside_mpi_s", waiting);
    fact(facts, "core_wait_s", run_delay_s() - first_delay);
    facts_close(facts);
    MPI_Finalize();
    return 0;
}
