// Calls on an inter-communicator: even ranks on one side, odd ranks on the other.
#include "calls.h"

void intercommunicators(const struct World* w) {
    MPI_Comm side, between, merged;
    const int even = w->rank % 2 == 0;
    CALL(MPI_Comm_split, w->comm, even, w->rank, &side);
    CALL(MPI_Intercomm_create, side, 0, w->comm, even ? 1 : 0, 99, &between);

    int local_rank, remote_size;
    MPI_Comm_rank(side, &local_rank);
    MPI_Comm_remote_size(between, &remote_size);

    // The leaders of both sides talk: the peer is a rank of the other group.
    if (local_rank == 0) {
        double mine = w->rank + 0.5, theirs = 0;
        CALL_BYTES(MPI_Sendrecv, sizeof mine, &mine, 1, MPI_DOUBLE, 0, 5, &theirs, 1, MPI_DOUBLE, 0, 5, between,
                   MPI_STATUS_IGNORE);
        tally_result(&theirs, sizeof theirs);
    }
    CALL(MPI_Barrier, between);

    double number = w->rank + 0.25, sum = 0;
    CALL(MPI_Allreduce, &number, &sum, 1, MPI_DOUBLE, MPI_SUM, between);
    tally_result(&sum, sizeof sum);

    const int root = even ? (local_rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
    double word = even && local_rank == 0 ? 3.25 : 0;
    CALL(MPI_Bcast, &word, 1, MPI_DOUBLE, root, between);
    tally_result(&word, sizeof word);

    double* gathered = calloc((size_t)remote_size, sizeof(double));
    CALL(MPI_Allgather, &number, 1, MPI_DOUBLE, gathered, 1, MPI_DOUBLE, between);
    tally_result(gathered, (size_t)remote_size * sizeof(double));
    double* out = calloc((size_t)remote_size, sizeof(double));
    for (int i = 0; i < remote_size; ++i) out[i] = w->rank * 10 + i;
    CALL(MPI_Alltoall, out, 1, MPI_DOUBLE, gathered, 1, MPI_DOUBLE, between);
    tally_result(gathered, (size_t)remote_size * sizeof(double));
    free(out);
    free(gathered);

    CALL(MPI_Intercomm_merge, between, even, &merged);
    CALL(MPI_Barrier, merged);
    CALL(MPI_Comm_free, &merged);
    CALL(MPI_Comm_free, &between);
    CALL(MPI_Comm_free, &side);
}
