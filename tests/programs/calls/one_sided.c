// Windows of every kind, all three ways to synchronise them, and all operations on them.
#include "calls.h"

enum { kNumbers = 32, kBytes = kNumbers * sizeof(long) };

// A neighbour may change `memory` as soon as it has left the fence, so it must wait until the result is taken.
static void keep(const struct World* w, const long* memory) {
    tally_result(memory, kBytes);
    CALL(MPI_Barrier, w->comm);
}

static void fenced(const struct World* w, MPI_Win window, long* memory) {
    long out[kNumbers], in[kNumbers] = {0};
    for (int i = 0; i < kNumbers; ++i) out[i] = 1000 * w->rank + i;
    CALL(MPI_Win_fence, 0, window);
    CALL_BYTES(MPI_Put, kBytes, out, kNumbers, MPI_LONG, w->next, 0, kNumbers, MPI_LONG, window);
    CALL(MPI_Win_fence, 0, window);
    keep(w, memory);
    CALL_BYTES(MPI_Accumulate, kBytes, out, kNumbers, MPI_LONG, w->next, 0, kNumbers, MPI_LONG, MPI_SUM, window);
    CALL(MPI_Win_fence, 0, window);
    keep(w, memory);
    CALL(MPI_Get, in, kNumbers, MPI_LONG, w->previous, 0, kNumbers, MPI_LONG, window);
    CALL(MPI_Win_fence, 0, window);
    tally_result(in, sizeof in);
}

static void exposed(const struct World* w, MPI_Win window, const long* memory) {
    MPI_Group everyone, from, to;
    long out[kNumbers];
    for (int i = 0; i < kNumbers; ++i) out[i] = -1000 * w->rank - i;
    MPI_Comm_group(w->comm, &everyone);
    MPI_Group_incl(everyone, 1, &w->previous, &from);
    MPI_Group_incl(everyone, 1, &w->next, &to);
    CALL(MPI_Win_post, from, 0, window);
    CALL(MPI_Win_start, to, 0, window);
    CALL_BYTES(MPI_Put, kBytes, out, kNumbers, MPI_LONG, w->next, 0, kNumbers, MPI_LONG, window);
    CALL(MPI_Win_complete, window);
    CALL(MPI_Win_wait, window);
    tally_result(memory, kBytes);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    MPI_Group_free(&everyone);
}

static void locked(const struct World* w, MPI_Win window, const long* memory) {
    long one = 1, before = 0, compare = -1, numbers[4] = {1, 2, 3, 4}, got[4] = {0};
    CALL(MPI_Barrier, w->comm);
    CALL(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, w->next, 0, window);
    CALL(MPI_Fetch_and_op, &one, &before, MPI_LONG, w->next, 0, MPI_SUM, window);
    CALL(MPI_Win_flush, w->next, window);
    CALL(MPI_Compare_and_swap, &one, &compare, &before, MPI_LONG, w->next, 1, window);
    CALL(MPI_Win_flush_local, w->next, window);
    CALL(MPI_Get_accumulate, numbers, 4, MPI_LONG, got, 4, MPI_LONG, w->next, 4, 4, MPI_LONG, MPI_SUM, window);
    CALL(MPI_Win_unlock, w->next, window);
    tally_result(got, sizeof got);
    CALL(MPI_Barrier, w->comm);
    MPI_Request request;
    CALL(MPI_Win_lock_all, 0, window);
    CALL(MPI_Rput, numbers, 4, MPI_LONG, w->next, 8, 4, MPI_LONG, window, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CALL(MPI_Raccumulate, numbers, 4, MPI_LONG, w->next, 12, 4, MPI_LONG, MPI_SUM, window, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CALL(MPI_Win_flush_all, window);
    CALL(MPI_Rget, got, 4, MPI_LONG, w->next, 8, 4, MPI_LONG, window, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CALL(MPI_Win_sync, window);
    CALL(MPI_Win_unlock_all, window);
    tally_result(got, sizeof got);
    CALL(MPI_Barrier, w->comm);
    tally_result(memory, kBytes);
}

void one_sided(const struct World* w) {
    MPI_Win window;
    long memory[kNumbers] = {0};
    CALL(MPI_Win_create, memory, sizeof memory, sizeof(long), MPI_INFO_NULL, w->comm, &window);
    fenced(w, window, memory);
    exposed(w, window, memory);
    CALL(MPI_Win_free, &window);

    long* allocated;
    CALL(MPI_Win_allocate, kBytes, sizeof(long), MPI_INFO_NULL, w->comm, &allocated, &window);
    memset(allocated, 0, kBytes);
    fenced(w, window, allocated);
    locked(w, window, allocated);
    CALL(MPI_Win_free, &window);

    MPI_Comm node;
    CALL(MPI_Comm_split_type, w->comm, MPI_COMM_TYPE_SHARED, w->rank, MPI_INFO_NULL, &node);
    CALL(MPI_Win_allocate_shared, kBytes, sizeof(long), MPI_INFO_NULL, node, &allocated, &window);
    CALL(MPI_Win_fence, 0, window);
    allocated[0] = 17 + w->rank;
    CALL(MPI_Win_fence, 0, window);
    tally_result(allocated, sizeof(long));
    CALL(MPI_Win_free, &window);
    CALL(MPI_Comm_free, &node);
}
