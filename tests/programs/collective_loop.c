// collective_loop [--die] OPERATION BYTES CALLS …: makes so many calls of an operation (alltoall, alltoallv, allgather,
// allgatherv) with blocks of so many bytes, and compares every byte that arrives with what was sent. Of an alltoallv
// rank r sends r bytes less to each. Rank 0 prints a line for each operation: seconds of a call, the mean over the last
// half of the calls. With --die rank 0 then kills itself.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ranks, rank;

// What `origin` sends to `destination` in a call.
static unsigned char byte_of(int origin, int destination, int call) {
    return (unsigned char)(origin * 31 + destination * 7 + call);
}

static int wrong_bytes(const unsigned char* block, int bytes, int origin, int destination, int call) {
    int wrong = 0;
    for (int i = 0; i < bytes; ++i) wrong += block[i] != byte_of(origin, destination, call);
    return wrong;
}

struct Buffers {
    unsigned char *send, *receive;
    int *counts, *offsets, *receive_counts;
};

static int call_once(const char* operation, int bytes, const struct Buffers* b) {
    const MPI_Comm world = MPI_COMM_WORLD;
    if (strcmp(operation, "alltoall") == 0)
        return MPI_Alltoall(b->send, bytes, MPI_BYTE, b->receive, bytes, MPI_BYTE, world);
    if (strcmp(operation, "alltoallv") == 0)
        return MPI_Alltoallv(b->send, b->counts, b->offsets, MPI_BYTE, b->receive, b->receive_counts, b->offsets,
                             MPI_BYTE, world);
    if (strcmp(operation, "allgather") == 0)
        return MPI_Allgather(b->send, bytes, MPI_BYTE, b->receive, bytes, MPI_BYTE, world);
    return MPI_Allgatherv(b->send, b->counts[0], MPI_BYTE, b->receive, b->receive_counts, b->offsets, MPI_BYTE, world);
}

static int loop(const char* operation, int bytes, int calls) {
    const int uneven = operation[strlen(operation) - 1] == 'v', gathers = strncmp(operation, "allgather", 9) == 0;
    struct Buffers b = {malloc((size_t)bytes * ranks), malloc((size_t)bytes * ranks), malloc(sizeof(int) * ranks),
                        malloc(sizeof(int) * ranks), malloc(sizeof(int) * ranks)};
    for (int i = 0; i < ranks; ++i) {
        b.counts[i] = uneven ? bytes - rank : bytes;
        b.receive_counts[i] = uneven ? bytes - i : bytes;
        b.offsets[i] = i * bytes;
    }
    int wrong = 0;
    double seconds = 0;
    for (int call = 0; call < calls; ++call) {
        for (int i = 0; i < ranks; ++i) memset(b.send + (size_t)i * bytes, byte_of(rank, gathers ? 0 : i, call), bytes);
        memset(b.receive, 0, (size_t)bytes * ranks);
        const double begin = MPI_Wtime();
        if (call_once(operation, bytes, &b) != MPI_SUCCESS) return 1;
        if (call >= calls / 2) seconds += MPI_Wtime() - begin;
        for (int i = 0; i < ranks; ++i)
            wrong += wrong_bytes(b.receive + b.offsets[i], b.receive_counts[i], i, gathers ? 0 : rank, call);
    }
    if (rank == 0) printf("%s %d %g\n", operation, bytes, seconds / (calls - calls / 2));
    free(b.send), free(b.receive), free(b.counts), free(b.offsets), free(b.receive_counts);
    return wrong;
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int dies = count > 1 && strcmp(words[1], "--die") == 0;
    int wrong = 0;
    for (int i = 1 + dies; i + 2 < count; i += 3) wrong += loop(words[i], atoi(words[i + 1]), atoi(words[i + 2]));
    fflush(stdout);
    if (dies && rank == 0) raise(SIGKILL);
    MPI_Finalize();
    return wrong != 0;
}
