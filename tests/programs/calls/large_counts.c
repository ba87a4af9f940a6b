// The large-count functions of MPI 4, where the MPI has them.
#include "calls.h"

#if MPI_VERSION >= 4

enum { kNumbers = 100, kBytes = kNumbers * sizeof(double), kTag = 31 };

void large_counts(const struct World* w) {
    double out[kNumbers], in[kNumbers] = {0};
    for (int i = 0; i < kNumbers; ++i) out[i] = w->rank + i / 11.0;
    const MPI_Count count = kNumbers;
    MPI_Request requests[2];
    CALL_BYTES(MPI_Sendrecv_c, kBytes, out, count, MPI_DOUBLE, w->next, kTag, in, count, MPI_DOUBLE, w->previous, kTag,
               w->comm, MPI_STATUS_IGNORE);
    tally_result(in, sizeof in);
    CALL(MPI_Irecv_c, in, count, MPI_DOUBLE, w->previous, kTag, w->comm, &requests[0]);
    CALL_BYTES(MPI_Isend_c, kBytes, out, count, MPI_DOUBLE, w->next, kTag, w->comm, &requests[1]);
    CALL(MPI_Waitall, 2, requests, MPI_STATUSES_IGNORE);
    tally_result(in, sizeof in);
    if (w->rank != 0)
        CALL_BYTES(MPI_Recv_c, kBytes, in, count, MPI_DOUBLE, w->previous, kTag, w->comm, MPI_STATUS_IGNORE);
    CALL_BYTES(MPI_Send_c, kBytes, out, count, MPI_DOUBLE, w->next, kTag, w->comm);
    if (w->rank == 0)
        CALL_BYTES(MPI_Recv_c, kBytes, in, count, MPI_DOUBLE, w->previous, kTag, w->comm, MPI_STATUS_IGNORE);
    tally_result(in, sizeof in);
    CALL_BYTES(MPI_Allreduce_c, kBytes, out, in, count, MPI_DOUBLE, MPI_SUM, w->comm);
    tally_result(in, sizeof in);
    CALL(MPI_Bcast_c, in, count, MPI_DOUBLE, 0, w->comm);
    tally_result(in, sizeof in);
    double all_out[64], all_in[64] = {0};
    for (int i = 0; i < w->size; ++i) all_out[i] = w->rank * 8 + i;
    CALL_BYTES(MPI_Alltoall_c, w->size * (long)sizeof(double), all_out, (MPI_Count)1, MPI_DOUBLE, all_in, (MPI_Count)1,
               MPI_DOUBLE, w->comm);
    tally_result(all_in, (size_t)w->size * sizeof(double));
    MPI_Count counts[64];
    MPI_Aint displacements[64];
    for (int i = 0; i < w->size; ++i) {
        counts[i] = 1;
        displacements[i] = i;
    }
    CALL_BYTES(MPI_Alltoallv_c, w->size * (long)sizeof(double), all_out, counts, displacements, MPI_DOUBLE, all_in,
               counts, displacements, MPI_DOUBLE, w->comm);
    tally_result(all_in, (size_t)w->size * sizeof(double));
    CALL(MPI_Iallreduce_c, out, in, count, MPI_DOUBLE, MPI_MAX, w->comm, &requests[0]);
    CALL(MPI_Wait, &requests[0], MPI_STATUS_IGNORE);
    tally_result(in, sizeof in);
}

#else

void large_counts(const struct World* world) { (void)world; }

#endif
