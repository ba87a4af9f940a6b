// Four threads at once, each with collectives on a communicator of its own, whose results it knows beforehand.
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, TURNS = 60, MOST_RANKS = 16, MOST_BLOCK = 3000 };

static int rank, ranks;
static MPI_Comm comms[THREADS];

static int value(int thread, int turn, int from, int to, int i) {
    return ((thread * 1000 + turn) * MOST_RANKS + from) * MOST_RANKS + to + i * 7919;
}

static void expect(int found, int wanted, const char* what) {
    if (found == wanted) return;
    fprintf(stderr, "rank %d %s: %d instead of %d\n", rank, what, found, wanted);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void exchange(int thread, int turn, int block, int* out, int* in) {
    for (int peer = 0; peer < ranks; ++peer)
        for (int i = 0; i < block; ++i) out[peer * block + i] = value(thread, turn, rank, peer, i);
    MPI_Alltoall(out, block, MPI_INT, in, block, MPI_INT, comms[thread]);
    for (int peer = 0; peer < ranks; ++peer)
        for (int i = 0; i < block; ++i) expect(in[peer * block + i], value(thread, turn, peer, rank, i), "alltoall");
}

static void gather(int thread, int turn, int block, int* in) {
    for (int i = 0; i < block; ++i) in[rank * block + i] = value(thread, turn, rank, 0, i);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, block, MPI_INT, comms[thread]);
    for (int peer = 0; peer < ranks; ++peer)
        for (int i = 0; i < block; ++i) expect(in[peer * block + i], value(thread, turn, peer, 0, i), "allgather");
}

static void* work(void* argument) {
    const int thread = (int)(intptr_t)argument;
    int* out = malloc(sizeof(int) * MOST_BLOCK * (size_t)ranks);
    int* in = malloc(sizeof(int) * MOST_BLOCK * (size_t)ranks);
    for (int turn = 0; turn < TURNS; ++turn) {
        const int block = 1 + (turn * 211 + thread * 37) % MOST_BLOCK;
        exchange(thread, turn, block, out, in);
        gather(thread, turn, block, in);
    }
    free(out);
    free(in);
    return NULL;
}

int main(int argc, char** argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 77);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, (void*)(intptr_t)i);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; ++i) MPI_Comm_free(&comms[i]);
    if (rank == 0) printf("%d threads agree\n", THREADS);
    MPI_Finalize();
    return 0;
}
