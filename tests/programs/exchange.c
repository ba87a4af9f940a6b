// All ranks exchange BYTES with each other, TURNS times, by "sendrecv" (with the next rank) or by "alltoall".
#include <mpi.h>
#include <string.h>

#include "planted.h"

enum { kMostTurns = 1000 };

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const int pairs = strcmp(argv[1], "sendrecv") == 0, bytes = atoi(argv[2]), turns = atoi(argv[3]);
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    char* out = calloc((size_t)bytes, (size_t)size);
    char* in = calloc((size_t)bytes, (size_t)size);
    MPI_Alltoall(out, 1, MPI_CHAR, in, 1, MPI_CHAR, MPI_COMM_WORLD);  // connects all pairs
    MPI_Barrier(MPI_COMM_WORLD);
    static double entry[kMostTurns];
    const double begin = now_s();
    for (int i = 0; i < turns; ++i) {
        entry[i] = now_s();
        if (pairs) {
            MPI_Sendrecv(out, bytes, MPI_CHAR, next, i, in, bytes, MPI_CHAR, previous, i, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        } else {
            MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
        }
    }
    const double end = now_s();
    FILE* facts = facts_open(rank);
    fact(facts, "exchange_s", end - begin);
    fact_series(facts, "entry_s", entry, turns);
    facts_close(facts);
    MPI_Finalize();
    free(out);
    free(in);
    return 0;
}
