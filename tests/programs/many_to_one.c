// All ranks send BYTES to rank 0 at the same instant, TURNS times: shallow switch buffers overflow.
#include <mpi.h>

#include "planted.h"

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const int bytes = atoi(argv[1]), turns = atoi(argv[2]);
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char* out = calloc((size_t)bytes, 1);
    char* in = calloc((size_t)bytes, (size_t)size);
    MPI_Request* requests = calloc((size_t)size, sizeof *requests);
    const double begin = now_s();
    for (int i = 0; i < turns; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            for (int source = 1; source < size; ++source)
                MPI_Irecv(in + (size_t)source * (size_t)bytes, bytes, MPI_CHAR, source, i, MPI_COMM_WORLD,
                          &requests[source]);
            MPI_Waitall(size - 1, requests + 1, MPI_STATUSES_IGNORE);
        } else {
            MPI_Send(out, bytes, MPI_CHAR, 0, i, MPI_COMM_WORLD);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    FILE* facts = facts_open(rank);
    fact(facts, "all_s", now_s() - begin);
    facts_close(facts);
    MPI_Finalize();
    free(out);
    free(in);
    free(requests);
    return 0;
}
