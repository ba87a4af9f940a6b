// Rank 0 is late at every barrier: "sleep" or "spin" for SECONDS longer than the others, TURNS times.
#include <mpi.h>
#include <string.h>

#include "planted.h"

enum { kMostTurns = 1000 };

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const int spins = strcmp(argv[1], "spin") == 0, turns = atoi(argv[3]);
    const double late = atof(argv[2]);
    static double entry[kMostTurns], leave[kMostTurns];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < turns; ++i) {
        if (rank == 0 && spins) compute_s(late);
        if (rank == 0 && !spins) sleep_s(late);
        entry[i] = now_s();
        MPI_Barrier(MPI_COMM_WORLD);
        leave[i] = now_s();
    }
    FILE* facts = facts_open(rank);
    fact_series(facts, "entry_s", entry, turns);
    fact_series(facts, "exit_s", leave, turns);
    facts_close(facts);
    MPI_Finalize();
    return 0;
}
