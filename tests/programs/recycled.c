// Threads that make and free communicators, types and requests all the time, so that the MPI gives the same handles
// out again and again, to another thread at times before the call that ended them has returned. `recycled ROUNDS`.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tally.h"

enum { kThreads = 3, kMost = 4 };

static int rank, size, rounds;
static MPI_Comm own[kThreads];

static void* work(void* argument) {
    const int me = (int)(long)argument;
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    unsigned random = 77u + (unsigned)me;  // the same on all ranks
    int out[64] = {0}, in[kMost][64];
    for (int round = 0; round < rounds; ++round) {
        random = random * 1103515245u + 12345u;
        const int count = 1 + (int)(random >> 20) % 60, many = 1 + (int)(random >> 8) % kMost;
        const long bytes = count * (long)sizeof(int);
        MPI_Request requests[kMost], sends[kMost];
        for (int i = 0; i < many; ++i)
            CALL(MPI_Irecv, in[i], count, MPI_INT, i % 2 ? MPI_ANY_SOURCE : previous, i, own[me], &requests[i]);
        for (int i = 0; i < many; ++i) {
            CALL_BYTES(MPI_Isend, bytes, out, count, MPI_INT, next, i, own[me], &sends[i]);
            MPI_Request_free(&sends[i]);
            tally_call("MPI_Request_free", -1);
        }
        if (random & 4) {
            for (int i = 0; i < many; ++i) CALL_BYTES(MPI_Wait, bytes, &requests[i], MPI_STATUS_IGNORE);
        } else {
            CALL_BYTES(MPI_Waitall, bytes * many, many, requests, MPI_STATUSES_IGNORE);
        }
        if (round % 8 != 0) continue;
        MPI_Comm copy;
        CALL(MPI_Comm_dup, own[me], &copy);
        CALL_BYTES(MPI_Allreduce, sizeof *out, out, in[0], 1, MPI_INT, MPI_SUM, copy);
        CALL(MPI_Comm_free, &copy);
    }
    return NULL;
}

int main(int argc, char** argv) {
    int provided;
    pthread_t threads[kThreads];
    rounds = argc > 1 ? atoi(argv[1]) : 400;
    CALL(MPI_Init_thread, &argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) return 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < kThreads; ++i) CALL(MPI_Comm_dup, MPI_COMM_WORLD, &own[i]);
    for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)(long)i);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
    printf("rank %d done\n", rank);
    CALL(MPI_Finalize);
    tally_write(rank);
    return 0;
}
