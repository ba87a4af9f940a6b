// first_calls BYTES CALLS: a job that begins: so many all-to-alls, one after the other, with blocks of so many bytes.
// Rank 0 prints a line: what each of them took, in microseconds, from the end of the one before on the slowest rank to
// its own end on the slowest rank. Nothing stands between the calls, so whatever a call leaves to the next is in it.
// The ranks' clocks must be one: hosts of a testbed.
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

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int ranks, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int bytes = atoi(words[1]), calls = atoi(words[2]);
    char* const sent = malloc((size_t)bytes * (size_t)ranks);
    char* const received = malloc((size_t)bytes * (size_t)ranks);
    double* const ends_us = calloc((size_t)calls + 1, sizeof *ends_us);
    double* const slowest_us = calloc((size_t)calls + 1, sizeof *slowest_us);
    memset(sent, rank, (size_t)bytes * (size_t)ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    ends_us[0] = now_us();
    for (int call = 1; call <= calls; ++call) {
        memset(received, -1, (size_t)bytes * (size_t)ranks);
        MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
        ends_us[call] = now_us();
        for (int i = 0; i < ranks; ++i)
            if (received[(size_t)i * (size_t)bytes] != i || received[(size_t)(i + 1) * (size_t)bytes - 1] != i)
                MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Reduce(ends_us, slowest_us, calls + 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int call = 1; call <= calls && rank == 0; ++call)
        printf("%.0f%c", slowest_us[call] - slowest_us[call - 1], call < calls ? ' ' : '\n');
    MPI_Finalize();
    return 0;
}
