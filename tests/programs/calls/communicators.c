// Making and freeing communicators, and calls on many of them: more than a tool's table would like.
#include "calls.h"

enum { kMany = 200 };

static void talk(const struct World* w, MPI_Comm comm) {
    double number = w->rank + 0.125, sum = 0;
    CALL_BYTES(MPI_Allreduce, sizeof number, &number, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    tally_result(&sum, sizeof sum);
}

void communicators(const struct World* w) {
    MPI_Comm made;
    MPI_Request request;
    CALL(MPI_Comm_dup, w->comm, &made);
    talk(w, made);
    MPI_Comm_set_name(made, "a copy of the world <b>&");
    CALL(MPI_Comm_free, &made);
    CALL(MPI_Comm_idup, w->comm, &made, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    talk(w, made);
    CALL(MPI_Comm_free, &made);
    CALL(MPI_Comm_dup_with_info, w->comm, MPI_INFO_NULL, &made);
    talk(w, made);
    CALL(MPI_Comm_free, &made);
    CALL(MPI_Comm_split, w->comm, w->rank % 2, -w->rank, &made);
    talk(w, made);
    CALL(MPI_Comm_free, &made);
    CALL(MPI_Comm_split, w->comm, w->rank == 0 ? MPI_UNDEFINED : 1, 0, &made);
    if (made != MPI_COMM_NULL) {
        talk(w, made);
        CALL(MPI_Comm_free, &made);
    }

    MPI_Group everyone, first_two;
    MPI_Comm_group(w->comm, &everyone);
    MPI_Group_incl(everyone, 2, (int[]){0, 1}, &first_two);
    CALL(MPI_Comm_create, w->comm, first_two, &made);
    if (made != MPI_COMM_NULL) {
        talk(w, made);
        CALL(MPI_Comm_free, &made);
    }
    if (w->rank < 2) {
        CALL(MPI_Comm_create_group, w->comm, first_two, 3, &made);
        talk(w, made);
        CALL(MPI_Comm_free, &made);
    }
    MPI_Group_free(&first_two);
    MPI_Group_free(&everyone);

    // A handle is used again after it was freed: the calls must not be booked to the dead communicator.
    for (int i = 0; i < kMany; ++i) {
        CALL(MPI_Comm_dup, w->comm, &made);
        talk(w, made);
        CALL(MPI_Comm_free, &made);
    }
}
