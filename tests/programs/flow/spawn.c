// Starts two more processes of itself, which nobody preloads anything into, and makes collective calls with them.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static void exchange(MPI_Comm comm, int peers, const char* where) {
    int rank, a[MOST], b[MOST], wrong = 0;
    MPI_Comm_rank(comm, &rank);
    for (int turn = 0; turn < 10; ++turn) {
        for (int i = 0; i < peers; ++i) a[i] = rank * 100 + i + turn;
        MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, comm);
        for (int i = 0; i < peers; ++i) wrong += b[i] != i * 100 + rank + turn;
    }
    if (wrong != 0) printf("wrong %s\n", where);
}

int main(int argc, char** argv) {
    MPI_Comm parent, between, all, own;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    exchange(MPI_COMM_WORLD, size, "in a world");
    between = parent;
    if (parent == MPI_COMM_NULL) {
        unsetenv("LD_PRELOAD");
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
    }
    MPI_Intercomm_merge(between, parent != MPI_COMM_NULL, &all);
    int others;
    MPI_Comm_remote_size(between, &others);
    exchange(between, others, "between");
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    exchange(all, size, "merged");
    MPI_Comm_split(all, parent == MPI_COMM_NULL, rank, &own);
    MPI_Comm_size(own, &others);
    exchange(own, others, "apart again");
    MPI_Comm_split(all, rank % 2, rank, &own);
    MPI_Comm_size(own, &others);
    exchange(own, others, "across");
    if (rank == 0) printf("%d processes\n", size);
    fflush(stdout);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&between);
    MPI_Finalize();
    return 0;
}
