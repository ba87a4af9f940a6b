// Rank 1 computes for SECONDS more than the others after they have met for the last time.
#include <mpi.h>

#include "planted.h"

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 20; ++step) {
        compute_s(0.02);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 1) compute_s(atof(argv[1]));
    FILE* facts = facts_open(rank);
    fact(facts, "entry_s", now_s());
    facts_close(facts);
    MPI_Finalize();
    return 0;
}
