// What the ranks send each other in a step.
#pragma once

#include <mpi.h>
#include <stdlib.h>

#include "options.h"
#include "planted.h"

typedef struct {
    int rank, ranks;
    char *out, *in;  // large enough for every operation
    int *counts, *starts;
} Messages;

static inline Messages open_messages(const Settings* s) {
    Messages m;
    MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.ranks);
    double most = 2 * s->halo_bytes + s->allreduce_bytes;
    const double collective = s->alltoall_bytes > s->allgatherv_bytes ? s->alltoall_bytes : s->allgatherv_bytes;
    most = (most > collective * m.ranks ? most : collective * m.ranks) + 8;
    m.out = calloc(1, (size_t)most), m.in = calloc(1, (size_t)most);
    m.counts = calloc((size_t)m.ranks, sizeof(int)), m.starts = calloc((size_t)m.ranks, sizeof(int));
    for (int i = 0; i < m.ranks; ++i)
        m.counts[i] = (int)s->allgatherv_bytes, m.starts[i] = i * (int)s->allgatherv_bytes;
    return m;
}

static inline void close_messages(Messages* m) { free(m->out), free(m->in), free(m->counts), free(m->starts); }

static inline void exchange(const Messages* m, int bytes, int left, int right) {
    MPI_Request all[4];
    MPI_Irecv(m->in, bytes, MPI_CHAR, left, 0, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(m->in + bytes, bytes, MPI_CHAR, right, 1, MPI_COMM_WORLD, &all[1]);
    MPI_Isend(m->out, bytes, MPI_CHAR, right, 0, MPI_COMM_WORLD, &all[2]);
    MPI_Isend(m->out + bytes, bytes, MPI_CHAR, left, 1, MPI_COMM_WORLD, &all[3]);
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
}

// As programs do that do not know what comes next.
static inline void exchange_by_polling(const Messages* m, int bytes, int left, int right, int tag, double pause_us) {
    MPI_Request sends[2];
    MPI_Isend(m->out, bytes, MPI_CHAR, right, tag, MPI_COMM_WORLD, &sends[0]);
    MPI_Isend(m->out + bytes, bytes, MPI_CHAR, left, tag, MPI_COMM_WORLD, &sends[1]);
    for (int received = 0; received < 2;) {
        MPI_Status status;
        int found = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status);
        if (found) {
            MPI_Recv(m->in + received * bytes, bytes, MPI_CHAR, status.MPI_SOURCE, tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            ++received;
        } else if (pause_us > 0) {
            sleep_s(pause_us * 1e-6);
        }
    }
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
}

static inline void exchange_halos(const Settings* s, const Messages* m, int step) {
    const int left = (m->rank + m->ranks - 1) % m->ranks, right = (m->rank + 1) % m->ranks;
    for (int i = 0; s->halo_bytes > 0 && i < (int)s->halo_messages; ++i) {
        if (s->poll > 0)
            exchange_by_polling(m, (int)s->halo_bytes, left, right, step * (int)s->halo_messages + i, s->poll_pause_us);
        else
            exchange(m, (int)s->halo_bytes, left, right);
    }
}

static inline void run_collectives(const Settings* s, const Messages* m) {
    const int all = (int)s->alltoall_bytes, reduced = (int)(s->allreduce_bytes / sizeof(double));
    if (all > 0) MPI_Alltoall(m->out, all, MPI_CHAR, m->in, all, MPI_CHAR, MPI_COMM_WORLD);
    if (s->allgatherv_bytes > 0)
        MPI_Allgatherv(m->out, m->counts[0], MPI_CHAR, m->in, m->counts, m->starts, MPI_CHAR, MPI_COMM_WORLD);
    if (reduced > 0) MPI_Allreduce(m->out, m->in, reduced, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
