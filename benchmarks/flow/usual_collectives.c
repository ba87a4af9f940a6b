// usual_collectives OPERATION BYTES CALLS: so many calls of MPI_Bcast, MPI_Allreduce or MPI_Reduce_scatter with vectors
// of so many bytes (doubles; a reduce_scatter's result is split evenly). Rank 0 prints the time of each but the first,
// in microseconds, from a barrier to its end on the slowest rank. The ranks' clocks must be one: hosts of a testbed.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int rank, ranks;

static void fail(const char* what) {
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void expect(const double* vector, int count, double value) {
    if (count > 0 && (vector[0] != value || vector[count - 1] != value)) fail("a wrong result");
}

static void call(const char* operation, double* in, double* out, int count, int* counts) {
    const double sum = ranks * (ranks + 1) / 2.0;
    if (strcmp(operation, "bcast") == 0) {
        MPI_Bcast(in, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        expect(in, count, 1);
    } else if (strcmp(operation, "allreduce") == 0) {
        MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        expect(out, count, sum);
    } else if (strcmp(operation, "reduce_scatter") == 0) {
        MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        expect(out, counts[rank], sum);
    } else {
        fail("no such operation");
    }
}

int main(int words, char** word) {
    MPI_Init(&words, &word);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int count = atoi(word[2]) / (int)sizeof(double), calls = atoi(word[3]);
    double* const in = malloc((size_t)count * sizeof *in);
    double* const out = malloc((size_t)count * sizeof *out);
    int* const counts = malloc((size_t)ranks * sizeof *counts);
    for (int i = 0; i < ranks; ++i) counts[i] = count / ranks + (i < count % ranks);
    for (int i = 0; i <= calls; ++i) {
        for (int k = 0; k < count; ++k) in[k] = rank + 1;
        MPI_Barrier(MPI_COMM_WORLD);
        double ends_us[2] = {-now_us(), 0}, last_us[2];
        call(word[1], in, out, count, counts);
        ends_us[1] = now_us();
        MPI_Reduce(ends_us, last_us, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0 && i > 0) printf("%.0f ", last_us[1] + last_us[0]);
    }
    if (rank == 0) printf("\n");
    MPI_Finalize();
    return 0;
}
