// The Wait and Test families, the probes, matched receives, and cancelling.
#include "calls.h"

enum { kMessages = 4, kTag = 21 };

static int out[kMessages], in[kMessages];

static void start_all(const struct World* w, MPI_Request* requests, int turn) {
    for (int i = 0; i < kMessages; ++i) {
        out[i] = 100 * turn + 10 * w->rank + i;
        CALL(MPI_Irecv, &in[i], 1, MPI_INT, w->previous, kTag + i, w->comm, &requests[i]);
    }
    for (int i = 0; i < kMessages; ++i)
        CALL_BYTES(MPI_Isend, sizeof(int), &out[i], 1, MPI_INT, w->next, kTag + i, w->comm, &requests[kMessages + i]);
}

static void waits(const struct World* w) {
    MPI_Request requests[2 * kMessages];
    MPI_Status statuses[2 * kMessages];
    int indices[2 * kMessages];

    start_all(w, requests, 1);
    for (int i = 0; i < 2 * kMessages; ++i) CALL(MPI_Wait, &requests[i], &statuses[i]);
    for (int i = 0; i < kMessages; ++i) tally_result(&statuses[i].MPI_SOURCE, sizeof(int));
    tally_result(in, sizeof in);

    start_all(w, requests, 2);
    int sum = 0;
    for (int i = 0; i < 2 * kMessages; ++i) {
        int index;
        CALL(MPI_Waitany, 2 * kMessages, requests, &index, MPI_STATUS_IGNORE);
        sum += index;
    }
    tally_result(&sum, sizeof sum);
    tally_result(in, sizeof in);

    start_all(w, requests, 3);
    for (int left = 2 * kMessages; left > 0;) {
        int done;
        CALL(MPI_Waitsome, 2 * kMessages, requests, &done, indices, statuses);
        left -= done;
    }
    tally_result(in, sizeof in);

    // Every request is null by now: these return at once, with an empty status.
    CALL(MPI_Wait, &requests[0], MPI_STATUS_IGNORE);
    CALL(MPI_Waitall, 2 * kMessages, requests, statuses);
    CALL(MPI_Waitall, 0, NULL, MPI_STATUSES_IGNORE);
}

static void tests(const struct World* w) {
    MPI_Request requests[2 * kMessages];
    MPI_Status statuses[2 * kMessages];
    int indices[2 * kMessages], done;

    start_all(w, requests, 4);
    for (int i = 0; i < 2 * kMessages; ++i) CALL_UNTIL(MPI_Test, done, &requests[i], &done, &statuses[i]);
    tally_result(in, sizeof in);

    start_all(w, requests, 5);
    CALL_UNTIL(MPI_Testall, done, 2 * kMessages, requests, &done, statuses);
    tally_result(in, sizeof in);

    start_all(w, requests, 6);
    for (int i = 0; i < 2 * kMessages; ++i) {
        int index;
        CALL_UNTIL(MPI_Testany, done, 2 * kMessages, requests, &index, &done, MPI_STATUS_IGNORE);
    }
    tally_result(in, sizeof in);

    start_all(w, requests, 7);
    for (int left = 2 * kMessages; left > 0;) {
        CALL(MPI_Testsome, 2 * kMessages, requests, &done, indices, statuses);
        left -= done;
    }
    tally_result(in, sizeof in);

    start_all(w, requests, 8);
    for (done = 0; !done;) CALL(MPI_Request_get_status, requests[0], &done, MPI_STATUS_IGNORE);
    CALL(MPI_Waitall, 2 * kMessages, requests, statuses);
    tally_result(in, sizeof in);
}

static void probes(const struct World* w) {
    double out_numbers[3] = {w->rank, 0.1 * w->rank, -1}, in_numbers[3];
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    int found = 0;

    CALL_BYTES(MPI_Isend, sizeof out_numbers, out_numbers, 3, MPI_DOUBLE, w->next, kTag, w->comm, &request);
    CALL(MPI_Probe, w->previous, kTag, w->comm, &status);
    CALL_BYTES(MPI_Recv, sizeof in_numbers, in_numbers, 3, MPI_DOUBLE, status.MPI_SOURCE, kTag, w->comm, &status);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    tally_result(in_numbers, sizeof in_numbers);

    CALL_BYTES(MPI_Isend, sizeof out_numbers, out_numbers, 3, MPI_DOUBLE, w->next, kTag, w->comm, &request);
    CALL_UNTIL(MPI_Iprobe, found, MPI_ANY_SOURCE, kTag, w->comm, &found, &status);
    CALL_BYTES(MPI_Recv, sizeof in_numbers, in_numbers, 3, MPI_DOUBLE, w->previous, kTag, w->comm, &status);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 10; ++i) CALL(MPI_Iprobe, w->previous, 9999, w->comm, &found, MPI_STATUS_IGNORE);
    tally_result(&found, sizeof found);

    CALL_BYTES(MPI_Isend, sizeof out_numbers, out_numbers, 3, MPI_DOUBLE, w->next, kTag, w->comm, &request);
    CALL(MPI_Mprobe, w->previous, kTag, w->comm, &message, &status);
    CALL_BYTES(MPI_Mrecv, sizeof in_numbers, in_numbers, 3, MPI_DOUBLE, &message, &status);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    tally_result(in_numbers, sizeof in_numbers);

    MPI_Request receive;
    CALL_BYTES(MPI_Isend, sizeof out_numbers, out_numbers, 3, MPI_DOUBLE, w->next, kTag, w->comm, &request);
    CALL_UNTIL(MPI_Improbe, found, w->previous, kTag, w->comm, &found, &message, &status);
    CALL(MPI_Imrecv, in_numbers, 3, MPI_DOUBLE, &message, &receive);
    CALL(MPI_Wait, &receive, &status);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    tally_result(in_numbers, sizeof in_numbers);
}

static void cancelled(const struct World* w) {
    int nothing = 0, was_cancelled = 0;
    MPI_Request request;
    MPI_Status status;
    CALL(MPI_Irecv, &nothing, 1, MPI_INT, w->previous, 8888, w->comm, &request);
    CALL(MPI_Cancel, &request);
    CALL(MPI_Wait, &request, &status);
    MPI_Test_cancelled(&status, &was_cancelled);
    tally_result(&was_cancelled, sizeof was_cancelled);
}

void completion(const struct World* world) {
    waits(world);
    tests(world);
    probes(world);
    cancelled(world);
}
