// Mixed MPI calls for the number of seconds given; prints how many ranks it saw and nothing that depends on speed.
// "-" instead of a number: for ever. Writes a file now and then in $SCRATCH, if that is set.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void write_a_file(int rank, int turn) {
    const char* scratch = getenv("SCRATCH");
    if (scratch == NULL) return;
    char path[4096];
    snprintf(path, sizeof path, "%s/busy.%d", scratch, rank);
    FILE* file = fopen(path, turn % 2 == 0 ? "w" : "a");
    if (file == NULL) return;
    fprintf(file, "%d\n", turn);
    fclose(file);
}

int main(int argc, char** argv) {
    const double seconds = argc > 1 && strcmp(argv[1], "-") != 0 ? atof(argv[1]) : 1e9;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double end = now_s() + seconds;
    double* out = calloc(4096, sizeof *out);
    double* in = calloc(4096, sizeof *in);
    int go_on = 1;
    for (int turn = 0; go_on; ++turn) {
        const int next = (rank + 1) % size, previous = (rank + size - 1) % size, count = 1 << (turn % 12);
        MPI_Request requests[2];
        MPI_Irecv(in, count, MPI_DOUBLE, previous, turn % 50, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, count, MPI_DOUBLE, next, turn % 50, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Alltoall(out, 4096 / size / 8, MPI_DOUBLE, in, 4096 / size / 8, MPI_DOUBLE, MPI_COMM_WORLD);
        if (turn % 100 == 0) {
            MPI_Comm copy;
            MPI_Comm_dup(MPI_COMM_WORLD, &copy);
            MPI_Barrier(copy);
            MPI_Comm_free(&copy);
            write_a_file(rank, turn);
        }
        int time_left = now_s() < end;  // rank 0 decides for all
        MPI_Bcast(&time_left, 1, MPI_INT, 0, MPI_COMM_WORLD);
        go_on = time_left;
    }
    printf("rank %d of %d is done\n", rank, size);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
