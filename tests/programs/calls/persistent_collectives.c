// Persistent collectives, where the MPI has them (MPI 4, and Open MPI 5 which says MPI 3.1).
#include "calls.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)

enum { kEach = 10, kMost = 64 };

static double out[kEach * kMost], in[kEach * kMost];

static void run(const struct World* w, MPI_Request* request) {
    for (int turn = 0; turn < 2; ++turn) {
        for (int i = 0; i < kEach * w->size; ++i) {
            out[i] = turn + w->rank * 100.0 + i / 7.0;
            in[i] = -1;
        }
        CALL(MPI_Start, request);
        CALL(MPI_Wait, request, MPI_STATUS_IGNORE);
        tally_result(in, sizeof(double) * kEach * w->size);
    }
    CALL(MPI_Request_free, request);
}

void persistent_collectives(const struct World* w) {
    MPI_Request request;
    int counts[kMost], displacements[kMost];
    for (int j = 0; j < w->size; ++j) {
        counts[j] = 3;
        displacements[j] = 3 * j;
    }
    CALL(MPI_Barrier_init, w->comm, MPI_INFO_NULL, &request);
    run(w, &request);
    CALL(MPI_Bcast_init, w->rank == 0 ? out : in, kEach, MPI_DOUBLE, 0, w->comm, MPI_INFO_NULL, &request);
    run(w, &request);
    CALL(MPI_Reduce_init, out, in, kEach, MPI_DOUBLE, MPI_SUM, 0, w->comm, MPI_INFO_NULL, &request);
    run(w, &request);
    CALL(MPI_Allreduce_init, out, in, kEach, MPI_DOUBLE, MPI_SUM, w->comm, MPI_INFO_NULL, &request);
    run(w, &request);
    CALL(MPI_Gather_init, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, 0, w->comm, MPI_INFO_NULL, &request);
    run(w, &request);
    CALL(MPI_Scatter_init, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, 0, w->comm, MPI_INFO_NULL, &request);
    run(w, &request);
    CALL(MPI_Allgather_init, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, w->comm, MPI_INFO_NULL, &request);
    run(w, &request);
    CALL(MPI_Allgatherv_init, out, 3, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, w->comm, MPI_INFO_NULL,
         &request);
    run(w, &request);
    CALL(MPI_Alltoall_init, out, kEach, MPI_DOUBLE, in, kEach, MPI_DOUBLE, w->comm, MPI_INFO_NULL, &request);
    run(w, &request);
    CALL(MPI_Alltoallv_init, out, counts, displacements, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, w->comm,
         MPI_INFO_NULL, &request);
    run(w, &request);
    CALL(MPI_Scan_init, out, in, kEach, MPI_DOUBLE, MPI_SUM, w->comm, MPI_INFO_NULL, &request);
    run(w, &request);
    CALL(MPI_Reduce_scatter_block_init, out, in, kEach, MPI_DOUBLE, MPI_SUM, w->comm, MPI_INFO_NULL, &request);
    run(w, &request);
}

#else

void persistent_collectives(const struct World* world) { (void)world; }

#endif
