// Every collective that starts at once, completed by MPI_Wait.
#include "calls.h"

enum { kEach = 20, kMost = 64 };

static double out[kEach * kMost], in[kEach * kMost];
static int counts[kMost], displacements[kMost], byte_displacements[kMost];
static MPI_Datatype types[kMost];

static void fill(const struct World* w, double seed) {
    for (int i = 0; i < kEach * w->size; ++i) {
        out[i] = seed + w->rank * 100.0 + i / 7.0;
        in[i] = -1;
    }
}

static void finish(const struct World* w, MPI_Request* request) {
    CALL(MPI_Wait, request, MPI_STATUS_IGNORE);
    tally_result(in, sizeof(double) * kEach * w->size);
}

void nonblocking_collectives(const struct World* w) {
    MPI_Request request;
    const int root = 0;
    int total = 0;
    for (int j = 0; j < w->size; ++j) {
        counts[j] = 2;
        displacements[j] = total;
        byte_displacements[j] = total * (int)sizeof(double);
        types[j] = MPI_DOUBLE;
        total += 2;
    }
    CALL(MPI_Ibarrier, w->comm, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    fill(w, 1);
    CALL(MPI_Ibcast, w->rank == root ? out : in, kEach, MPI_DOUBLE, root, w->comm, &request);
    finish(w, &request);
    fill(w, 2);
    CALL(MPI_Ireduce, out, in, kEach, MPI_DOUBLE, MPI_SUM, root, w->comm, &request);
    finish(w, &request);
    fill(w, 3);
    CALL(MPI_Iallreduce, out, in, kEach, MPI_DOUBLE, MPI_SUM, w->comm, &request);
    finish(w, &request);
    fill(w, 4);
    CALL(MPI_Igather, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, root, w->comm, &request);
    finish(w, &request);
    fill(w, 5);
    CALL(MPI_Iscatter, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, root, w->comm, &request);
    finish(w, &request);
    fill(w, 6);
    CALL(MPI_Igatherv, out, 2, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, root, w->comm, &request);
    finish(w, &request);
    fill(w, 7);
    CALL(MPI_Iscatterv, out, counts, displacements, MPI_DOUBLE, in, 2, MPI_DOUBLE, root, w->comm, &request);
    finish(w, &request);
    fill(w, 8);
    CALL(MPI_Iallgather, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, w->comm, &request);
    finish(w, &request);
    fill(w, 9);
    CALL(MPI_Iallgatherv, out, 2, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, w->comm, &request);
    finish(w, &request);
    fill(w, 10);
    CALL(MPI_Ialltoall, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, w->comm, &request);
    finish(w, &request);
    fill(w, 11);
    CALL(MPI_Ialltoallv, out, counts, displacements, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, w->comm,
         &request);
    finish(w, &request);
    fill(w, 12);
    CALL(MPI_Ialltoallw, out, counts, byte_displacements, types, in, counts, byte_displacements, types, w->comm,
         &request);
    finish(w, &request);
    fill(w, 13);
    CALL(MPI_Iscan, out, in, kEach, MPI_DOUBLE, MPI_SUM, w->comm, &request);
    finish(w, &request);
    fill(w, 14);
    CALL(MPI_Iexscan, out, in, kEach, MPI_DOUBLE, MPI_SUM, w->comm, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    fill(w, 15);
    CALL(MPI_Ireduce_scatter_block, out, in, kEach, MPI_DOUBLE, MPI_SUM, w->comm, &request);
    finish(w, &request);
    fill(w, 16);
    CALL(MPI_Ireduce_scatter, out, in, counts, MPI_DOUBLE, MPI_SUM, w->comm, &request);
    finish(w, &request);

    // Several at once, completed together and out of order.
    MPI_Request three[3];
    double a = w->rank, b = 0, c = w->rank;
    CALL(MPI_Iallreduce, &a, &b, 1, MPI_DOUBLE, MPI_SUM, w->comm, &three[0]);
    CALL(MPI_Ibarrier, w->comm, &three[1]);
    CALL(MPI_Ibcast, &c, 1, MPI_DOUBLE, root, w->comm, &three[2]);
    CALL(MPI_Waitall, 3, three, MPI_STATUSES_IGNORE);
    tally_result(&b, sizeof b);
    tally_result(&c, sizeof c);
}
