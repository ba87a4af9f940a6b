// What the ranks send each other in a step, one way for each family of MPI calls.
#pragma once

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "planted.h"
#include "settings.h"

typedef struct {
    int rank, ranks, left, right, bytes;
    char *out, *in;
    MPI_Comm ring;
    MPI_Win window;
    char* shown;  // memory of the window
} Messages;

static inline Messages open_messages(const Settings* s) {
    Messages m = {.bytes = (int)s->bytes / 8 * 8 + 8, .ring = MPI_COMM_NULL, .window = MPI_WIN_NULL};
    MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.ranks);
    m.left = (m.rank + m.ranks - 1) % m.ranks, m.right = (m.rank + 1) % m.ranks;
    const size_t room = (size_t)m.bytes * (size_t)(m.ranks + 2);
    m.out = calloc(1, room), m.in = calloc(1, room);
    if (m.out == NULL || m.in == NULL) abort();
    const int periodic = 1;
    if (strcmp(s->family, "neighbour") == 0) MPI_Cart_create(MPI_COMM_WORLD, 1, &m.ranks, &periodic, 0, &m.ring);
    if (strcmp(s->family, "fence") == 0 || strcmp(s->family, "lock") == 0)
        MPI_Win_allocate((MPI_Aint)room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &m.shown, &m.window);
    return m;
}

static inline void close_messages(Messages* m) {
    if (m->ring != MPI_COMM_NULL) MPI_Comm_free(&m->ring);
    if (m->window != MPI_WIN_NULL) MPI_Win_free(&m->window);
    free(m->out), free(m->in);
}

static inline void halo(const Messages* m) {
    MPI_Request all[4];
    MPI_Irecv(m->in, m->bytes, MPI_CHAR, m->left, 0, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(m->in + m->bytes, m->bytes, MPI_CHAR, m->right, 1, MPI_COMM_WORLD, &all[1]);
    MPI_Isend(m->out, m->bytes, MPI_CHAR, m->right, 0, MPI_COMM_WORLD, &all[2]);
    MPI_Isend(m->out + m->bytes, m->bytes, MPI_CHAR, m->left, 1, MPI_COMM_WORLD, &all[3]);
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
}

static inline void alltoall(const Messages* m) {
    MPI_Alltoall(m->out, m->bytes, MPI_CHAR, m->in, m->bytes, MPI_CHAR, MPI_COMM_WORLD);
}

static inline void ialltoall(const Messages* m, double compute_meanwhile_s) {
    MPI_Request request;
    MPI_Ialltoall(m->out, m->bytes, MPI_CHAR, m->in, m->bytes, MPI_CHAR, MPI_COMM_WORLD, &request);
    compute_s(compute_meanwhile_s);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static inline void neighbour(const Messages* m) {
    MPI_Neighbor_alltoall(m->out, m->bytes, MPI_CHAR, m->in, m->bytes, MPI_CHAR, m->ring);
}

// Rank 0 gives every other one its next piece of work when it asks for it.
static inline void probe(const Messages* m) {
    if (m->rank > 0) {
        MPI_Send(m->out, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(m->in, m->bytes, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    for (int given = 1; given < m->ranks; ++given) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        MPI_Recv(m->in, 8, MPI_CHAR, status.MPI_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(m->out, m->bytes, MPI_CHAR, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
    }
}

static inline void fence(const Messages* m) {
    MPI_Win_fence(0, m->window);
    MPI_Put(m->out, m->bytes, MPI_CHAR, m->right, 0, m->bytes, MPI_CHAR, m->window);
    MPI_Accumulate(m->out, m->bytes / 8, MPI_DOUBLE, m->left, m->bytes, m->bytes / 8, MPI_DOUBLE, MPI_SUM, m->window);
    MPI_Win_fence(0, m->window);
}

static inline void lock(const Messages* m, int step) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, m->right, 0, m->window);
    MPI_Put(m->out, m->bytes, MPI_CHAR, m->right, 0, m->bytes, MPI_CHAR, m->window);
    MPI_Win_unlock(m->right, m->window);
    if (step % 4 == 3) MPI_Barrier(MPI_COMM_WORLD);
}

static inline void allreduce(const Messages* m) {
    MPI_Allreduce(m->out, m->in, m->bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// Of a step's computing, what is done while messages are under way.
static inline double overlapped(const Settings* s) { return strcmp(s->family, "ialltoall") == 0 ? 0.3 : 0.0; }

static inline void communicate(const Settings* s, const Messages* m, int step) {
    const char* family = s->family;
    if (strcmp(family, "halo") == 0)
        halo(m);
    else if (strcmp(family, "alltoall") == 0)
        alltoall(m);
    else if (strcmp(family, "ialltoall") == 0)
        ialltoall(m, overlapped(s) * s->compute_s);
    else if (strcmp(family, "neighbour") == 0)
        neighbour(m);
    else if (strcmp(family, "probe") == 0)
        probe(m);
    else if (strcmp(family, "fence") == 0)
        fence(m);
    else if (strcmp(family, "lock") == 0)
        lock(m, step);
    else if (strcmp(family, "allreduce") == 0)
        allreduce(m);
    else
        refuse(family);
}
