// The rank that is to be 1 comes SECONDS later to MPI_Init than the others, or never (SECONDS below 0). All then
// compute for a while.
#include <mpi.h>

#include "planted.h"

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const char* place = getenv("OMPI_COMM_WORLD_RANK");
    if (place == NULL) place = getenv("PMI_RANK");
    const int is_late = place != NULL && atoi(place) == 1;
    const double late = atof(argv[1]);
    if (is_late && late != 0) sleep_s(late < 0 ? 600 : late);
    const double entry = now_s();
    MPI_Init(&argc, &argv);
    const double leave = now_s();
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    compute_s(0.05);
    MPI_Barrier(MPI_COMM_WORLD);
    FILE* facts = facts_open(rank);
    fact(facts, "entry_s", entry);
    fact(facts, "exit_s", leave);
    facts_close(facts);
    MPI_Finalize();
    return 0;
}
