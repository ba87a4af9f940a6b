// Every way to send and receive a message that blocks or starts at once, around a ring.
#include "calls.h"

enum { kNumbers = 100, kBytes = kNumbers * sizeof(double), kTag = 7 };

static double out[kNumbers], in[kNumbers];

static void fill(const struct World* w, double seed) {
    for (int i = 0; i < kNumbers; ++i) out[i] = seed + w->rank * 1000.0 + i / 3.0;
}

typedef int (*Send)(const void*, int, MPI_Datatype, int, int, MPI_Comm);

// Rank 0 sends first, so the ring does not lock even where a send waits for its receive.
static void relay(const struct World* w, const char* name, Send send, double seed) {
    fill(w, seed);
    MPI_Status status;
    if (w->rank != 0) CALL_BYTES(MPI_Recv, kBytes, in, kNumbers, MPI_DOUBLE, w->previous, kTag, w->comm, &status);
    tally_call(name, kBytes);
    send(out, kNumbers, MPI_DOUBLE, w->next, kTag, w->comm);
    if (w->rank == 0) CALL_BYTES(MPI_Recv, kBytes, in, kNumbers, MPI_DOUBLE, w->previous, kTag, w->comm, &status);
    int count;
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    tally_result(&count, sizeof count);
    tally_result(in, kBytes);
}

static void blocking(const struct World* w) {
    relay(w, "MPI_Send", MPI_Send, 1);
    relay(w, "MPI_Ssend", MPI_Ssend, 2);
    static char buffer[8192];
    MPI_Buffer_attach(buffer, sizeof buffer);
    relay(w, "MPI_Bsend", MPI_Bsend, 3);
    void* detached;
    int bytes;
    MPI_Buffer_detach(&detached, &bytes);

    // A ready send needs its receive posted before: the barrier says so.
    fill(w, 4);
    MPI_Request request;
    CALL(MPI_Irecv, in, kNumbers, MPI_DOUBLE, w->previous, kTag, w->comm, &request);
    CALL(MPI_Barrier, w->comm);
    CALL_BYTES(MPI_Rsend, kBytes, out, kNumbers, MPI_DOUBLE, w->next, kTag, w->comm);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    tally_result(in, kBytes);

    fill(w, 5);
    CALL_BYTES(MPI_Sendrecv, kBytes, out, kNumbers, MPI_DOUBLE, w->next, kTag, in, kNumbers, MPI_DOUBLE, w->previous,
               kTag, w->comm, MPI_STATUS_IGNORE);
    CALL_BYTES(MPI_Sendrecv_replace, kBytes, in, kNumbers, MPI_DOUBLE, w->next, kTag, w->previous, kTag, w->comm,
               MPI_STATUS_IGNORE);
    tally_result(in, kBytes);

    // Nothing leaves and nothing arrives, yet each is a call.
    CALL_BYTES(MPI_Send, 0, out, kNumbers, MPI_DOUBLE, MPI_PROC_NULL, kTag, w->comm);
    CALL_BYTES(MPI_Recv, 0, in, kNumbers, MPI_DOUBLE, MPI_PROC_NULL, kTag, w->comm, MPI_STATUS_IGNORE);
    CALL_BYTES(MPI_Sendrecv, 0, NULL, 0, MPI_DOUBLE, w->next, kTag, NULL, 0, MPI_DOUBLE, w->previous, kTag, w->comm,
               MPI_STATUS_IGNORE);
}

static void wildcards(const struct World* w) {
    fill(w, 6);
    if (w->rank != 0) {
        CALL_BYTES(MPI_Send, kBytes / 2, out, kNumbers / 2, MPI_DOUBLE, 0, kTag, w->comm);
        return;
    }
    double sum = 0;
    for (int i = 1; i < w->size; ++i) {
        MPI_Status status;
        CALL_BYTES(MPI_Recv, kBytes / 2, in, kNumbers, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, w->comm, &status);
        int count;
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        sum += in[0] + count + status.MPI_SOURCE + status.MPI_TAG;  // order of arrival must not matter
    }
    tally_result(&sum, sizeof sum);
}

typedef int (*Start)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static void exchange(const struct World* w, const char* name, Start start, double seed) {
    fill(w, seed);
    MPI_Request requests[2];
    CALL(MPI_Irecv, in, kNumbers, MPI_DOUBLE, w->previous, kTag, w->comm, &requests[0]);
    CALL(MPI_Barrier, w->comm);
    tally_call(name, kBytes);
    start(out, kNumbers, MPI_DOUBLE, w->next, kTag, w->comm, &requests[1]);
    CALL(MPI_Waitall, 2, requests, MPI_STATUSES_IGNORE);
    tally_result(in, kBytes);
}

static void starting(const struct World* w) {
    exchange(w, "MPI_Isend", MPI_Isend, 7);
    exchange(w, "MPI_Issend", MPI_Issend, 8);
    exchange(w, "MPI_Irsend", MPI_Irsend, 9);
    static char buffer[8192];
    MPI_Buffer_attach(buffer, sizeof buffer);
    exchange(w, "MPI_Ibsend", MPI_Ibsend, 10);
    void* detached;
    int bytes;
    MPI_Buffer_detach(&detached, &bytes);
}

static void persistent(const struct World* w, const char* name, Start init, double seed) {
    MPI_Request requests[2];
    CALL(MPI_Recv_init, in, kNumbers, MPI_DOUBLE, w->previous, kTag, w->comm, &requests[0]);
    tally_call(name, -1);
    init(out, kNumbers, MPI_DOUBLE, w->next, kTag, w->comm, &requests[1]);
    for (int turn = 0; turn < 3; ++turn) {
        fill(w, seed + turn);
        if (turn == 0) {
            CALL(MPI_Start, &requests[0]);
            CALL(MPI_Barrier, w->comm);
            CALL(MPI_Start, &requests[1]);
        } else {
            CALL(MPI_Start, &requests[0]);
            CALL(MPI_Barrier, w->comm);
            CALL_BYTES(MPI_Startall, kBytes, 1, &requests[1]);
        }
        CALL(MPI_Waitall, 2, requests, MPI_STATUSES_IGNORE);
        tally_result(in, kBytes);
    }
    CALL(MPI_Request_free, &requests[0]);
    CALL(MPI_Request_free, &requests[1]);
}

void point_to_point(const struct World* world) {
    blocking(world);
    wildcards(world);
    starting(world);
    persistent(world, "MPI_Send_init", MPI_Send_init, 11);
    persistent(world, "MPI_Ssend_init", MPI_Ssend_init, 12);
    persistent(world, "MPI_Rsend_init", MPI_Rsend_init, 13);
    static char buffer[8192];
    MPI_Buffer_attach(buffer, sizeof buffer);
    persistent(world, "MPI_Bsend_init", MPI_Bsend_init, 14);
    void* detached;
    int bytes;
    MPI_Buffer_detach(&detached, &bytes);
}
