// Every blocking collective, with its v and w forms and with MPI_IN_PLACE.
#include "calls.h"

enum { kEach = 50, kMost = 64 };  // numbers per pair of ranks; ranks at most

static double out[kEach * kMost], in[kEach * kMost];
static int counts[kMost], displacements[kMost];

static void fill(const struct World* w, double seed) {
    for (int i = 0; i < kEach * w->size; ++i) {
        out[i] = seed + w->rank * 100.0 + i / 7.0;
        in[i] = -1;
    }
}

static void keep(const struct World* w) { tally_result(in, sizeof(double) * kEach * w->size); }

// Ranks get 1, 2, 3 … numbers, one beside the other.
static int uneven(const struct World* w) {
    int total = 0;
    for (int i = 0; i < w->size; ++i) {
        counts[i] = i + 1;
        displacements[i] = total;
        total += i + 1;
    }
    return total;
}

static void rooted(const struct World* w) {
    const int root = w->size - 1, mine = w->rank == root;
    fill(w, 1);
    if (mine) memcpy(in, out, sizeof out);
    CALL(MPI_Bcast, in, kEach, MPI_DOUBLE, root, w->comm);
    keep(w);
    fill(w, 2);
    CALL(MPI_Reduce, out, in, kEach, MPI_DOUBLE, MPI_SUM, root, w->comm);
    keep(w);
    CALL(MPI_Reduce, mine ? MPI_IN_PLACE : out, in, kEach, MPI_DOUBLE, MPI_MAX, root, w->comm);
    keep(w);
    fill(w, 3);
    CALL(MPI_Gather, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, root, w->comm);
    keep(w);
    CALL(MPI_Gather, mine ? MPI_IN_PLACE : out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, root, w->comm);
    keep(w);
    fill(w, 4);
    CALL(MPI_Scatter, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, root, w->comm);
    keep(w);
    CALL(MPI_Scatter, out, kEach, MPI_DOUBLE, mine ? MPI_IN_PLACE : in, kEach, MPI_DOUBLE, root, w->comm);
    keep(w);
    uneven(w);
    fill(w, 5);
    CALL(MPI_Gatherv, out, w->rank + 1, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, root, w->comm);
    keep(w);
    fill(w, 6);
    CALL(MPI_Scatterv, out, counts, displacements, MPI_DOUBLE, in, w->rank + 1, MPI_DOUBLE, root, w->comm);
    keep(w);
}

static void everyone(const struct World* w) {
    CALL_BYTES(MPI_Barrier, 0, w->comm);
    fill(w, 7);
    CALL_BYTES(MPI_Allreduce, kEach * sizeof(double), out, in, kEach, MPI_DOUBLE, MPI_SUM, w->comm);
    keep(w);
    CALL_BYTES(MPI_Allreduce, kEach * sizeof(double), MPI_IN_PLACE, in, kEach, MPI_DOUBLE, MPI_MIN, w->comm);
    keep(w);
    fill(w, 8);
    CALL(MPI_Allgather, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, w->comm);
    keep(w);
    CALL(MPI_Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, kEach, MPI_DOUBLE, w->comm);
    keep(w);
    uneven(w);
    CALL(MPI_Allgatherv, out, w->rank + 1, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, w->comm);
    keep(w);
    fill(w, 9);
    CALL_BYTES(MPI_Scan, kEach * sizeof(double), out, in, kEach, MPI_DOUBLE, MPI_SUM, w->comm);
    keep(w);
    fill(w, 10);
    CALL_BYTES(MPI_Exscan, kEach * sizeof(double), out, in, kEach, MPI_DOUBLE, MPI_SUM, w->comm);
    if (w->rank != 0) keep(w);
    fill(w, 11);
    CALL(MPI_Reduce_scatter_block, out, in, kEach, MPI_DOUBLE, MPI_SUM, w->comm);
    keep(w);
    uneven(w);
    CALL(MPI_Reduce_scatter, out, in, counts, MPI_DOUBLE, MPI_SUM, w->comm);
    keep(w);
    fill(w, 12);
    MPI_Reduce_local(out, in, kEach, MPI_DOUBLE, MPI_SUM);
    keep(w);
}

static void all_to_all(const struct World* w) {
    const long bytes = (long)kEach * w->size * (long)sizeof(double);
    fill(w, 13);
    CALL_BYTES(MPI_Alltoall, bytes, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, w->comm);
    keep(w);
    CALL_BYTES(MPI_Alltoall, bytes, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, kEach, MPI_DOUBLE, w->comm);
    keep(w);
    // Rank i sends min(i, j) + 1 numbers to rank j: symmetric, so the same counts serve both ways.
    int total = 0;
    for (int j = 0; j < w->size; ++j) {
        counts[j] = (w->rank < j ? w->rank : j) + 1;
        displacements[j] = total;
        total += counts[j];
    }
    fill(w, 14);
    CALL_BYTES(MPI_Alltoallv, total * (long)sizeof(double), out, counts, displacements, MPI_DOUBLE, in, counts,
               displacements, MPI_DOUBLE, w->comm);
    keep(w);
    int byte_displacements[kMost];
    MPI_Datatype types[kMost];
    for (int j = 0; j < w->size; ++j) {
        byte_displacements[j] = displacements[j] * (int)sizeof(double);
        types[j] = MPI_DOUBLE;
    }
    fill(w, 15);
    CALL_BYTES(MPI_Alltoallw, total * (long)sizeof(double), out, counts, byte_displacements, types, in, counts,
               byte_displacements, types, w->comm);
    keep(w);
}

void collectives(const struct World* world) {
    rooted(world);
    everyone(world);
    all_to_all(world);
    // Tools see the predefined communicators only if they look: count there too.
    int one = 1, sum = 0;
    CALL(MPI_Allreduce, &one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    tally_result(&sum, sizeof sum);
}
