// Four threads call MPI at once, each on its own communicator, with its partner thread in the next rank.
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tally.h"

enum { kThreads = 4, kTurns = 500 };

static int rank, size;
static MPI_Comm comms[kThreads];
static double sums[kThreads];

static void* work(void* argument) {
    const int me = (int)(intptr_t)argument;
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    double out = rank + me / 8.0, in = 0, all = 0;
    for (int turn = 0; turn < kTurns; ++turn) {
        CALL_BYTES(MPI_Sendrecv, sizeof out, &out, 1, MPI_DOUBLE, next, turn, &in, 1, MPI_DOUBLE, previous, turn,
                   comms[me], MPI_STATUS_IGNORE);
        out = in + 1.0 / (turn + 1);
        if (turn % 50 == 0) CALL_BYTES(MPI_Allreduce, sizeof out, &out, &all, 1, MPI_DOUBLE, MPI_SUM, comms[me]);
        int found;
        CALL(MPI_Iprobe, previous, 9999, comms[me], &found, MPI_STATUS_IGNORE);
    }
    sums[me] = out + all;
    return NULL;
}

int main(int argc, char** argv) {
    int provided;
    CALL(MPI_Init_thread, &argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "no MPI_THREAD_MULTIPLE here\n");
        MPI_Abort(MPI_COMM_WORLD, 77);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pthread_t threads[kThreads];
    for (int i = 0; i < kThreads; ++i) CALL(MPI_Comm_dup, MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)(intptr_t)i);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < kThreads; ++i) CALL(MPI_Comm_free, &comms[i]);
    tally_result(sums, sizeof sums);
    tally_print_checksum(rank);
    CALL(MPI_Finalize);
    tally_write(rank);
    return 0;
}
