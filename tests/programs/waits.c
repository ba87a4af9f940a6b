// Rank 0 is late in each of TURNS turns, and the others wait for it in calls of some kinds.
//   waits KINDS SECONDS TURNS [WHO]
// KINDS with commas between, one after the other: barrier, ialltoall, ibarrier, iallreduce-test, ibcast, neighbour,
//       ineighbour, probe, iprobe, test, mprobe, fence, unlock (of rank 0's window, whose memory the others put to),
//       post (rank 0 lets the others put), file (all write to $TRUTH-file), accept (rank 0, while the others connect)
// WHO   first: rank 0 (so without it); turns: another rank each turn; burst: rank 0, in every eighth turn only
// A negative SECONDS computes for as long, instead of sleeping. Each rank tells when it started the operation
// (KIND.entry_s), when it began to wait (KIND.wait_s) and when it had what it waited for (KIND.exit_s), by turn.
#include <mpi.h>
#include <sched.h>
#include <string.h>

#include "planted.h"

enum { kMostTurns = 1000, kMostRanks = 64, kTag = 7 };

static int rank, size, sent[kMostRanks], received[kMostRanks], *shown;
static MPI_Win window;

static int is(const char* kind, const char* wanted) { return strcmp(kind, wanted) == 0; }

// Rank 0 sends to all others, which wait for it in a way of their own.
static void message(const char* kind, double* entry, double* waits) {
    int value = 0, found = 0;
    MPI_Request request;
    if (rank == 0) {
        *entry = *waits = now_s();
        for (int other = 1; other < size; ++other) MPI_Send(&value, 1, MPI_INT, other, kTag, MPI_COMM_WORLD);
        return;
    }
    *entry = *waits = now_s();
    if (is(kind, "test")) {
        MPI_Irecv(&value, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD, &request);
        while (!found) MPI_Test(&request, &found, MPI_STATUS_IGNORE);
        return;
    }
    if (is(kind, "mprobe")) {
        MPI_Message one;
        MPI_Mprobe(0, kTag, MPI_COMM_WORLD, &one, MPI_STATUS_IGNORE);
        MPI_Mrecv(&value, 1, MPI_INT, &one, MPI_STATUS_IGNORE);
        return;
    }
    if (is(kind, "probe")) MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (is(kind, "iprobe") && !found) MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void collective(const char* kind, MPI_Comm comm, double* entry, double* waits) {
    MPI_Request request;
    *entry = *waits = now_s();
    if (is(kind, "neighbour")) {
        MPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm);
        return;
    }
    if (is(kind, "barrier")) {
        MPI_Barrier(comm);
        return;
    }
    if (is(kind, "ialltoall")) MPI_Ialltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm, &request);
    if (is(kind, "ibarrier")) MPI_Ibarrier(comm, &request);
    if (is(kind, "iallreduce-test")) MPI_Iallreduce(sent, received, 1, MPI_INT, MPI_SUM, comm, &request);
    if (is(kind, "ibcast")) MPI_Ibcast(received, 1, MPI_INT, 0, comm, &request);
    if (is(kind, "ineighbour")) MPI_Ineighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm, &request);
    *waits = now_s();
    if (!is(kind, "iallreduce-test")) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

// The others need rank 0's memory, and rank 0 comes to MPI in the barrier only. Each is done when its unlock returns.
static void one_sided(const char* kind, double* entry, double* waits, double* leave) {
    *entry = *waits = now_s();
    if (is(kind, "fence")) {
        MPI_Win_fence(0, window);
        *leave = now_s();
        return;
    }
    if (rank != 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, rank, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    *leave = now_s();
    MPI_Barrier(MPI_COMM_WORLD);
}

// Rank 0 opens its window for the others, which have to wait for that.
static void epoch(double* entry, double* waits, double* leave) {
    MPI_Group all, others, first;
    const int zero = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &zero, &first);
    MPI_Group_excl(all, 1, &zero, &others);
    *entry = *waits = now_s();
    if (rank == 0) {
        MPI_Win_post(others, 0, window);
        MPI_Win_wait(window);
    } else {
        MPI_Win_start(first, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, rank, 1, MPI_INT, window);
        MPI_Win_complete(window);
    }
    *leave = now_s();
    MPI_Group_free(&all), MPI_Group_free(&first), MPI_Group_free(&others);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void write_together(double* entry, double* waits, double* leave) {
    MPI_File file;
    char path[4096];
    snprintf(path, sizeof path, "%s-file", getenv("TRUTH") != NULL ? getenv("TRUTH") : "waits");
    *entry = *waits = now_s();
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    *leave = now_s();
    MPI_File_write_at_all(file, (MPI_Offset)(rank * sizeof rank), &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
}

// The others connect to rank 0.
static void meet(double* entry, double* waits, double* leave) {
    static char port[MPI_MAX_PORT_NAME];
    static MPI_Comm mine = MPI_COMM_NULL;
    if (mine == MPI_COMM_NULL) {
        if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
        MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &mine);
    }
    MPI_Comm both;
    *entry = *waits = now_s();
    if (rank == 0)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, mine, &both);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, mine, &both);
    *leave = now_s();
    MPI_Comm_disconnect(&both);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void turn(const char* kind, MPI_Comm comm, double* entry, double* waits) {
    if (is(kind, "probe") || is(kind, "iprobe") || is(kind, "test") || is(kind, "mprobe"))
        message(kind, entry, waits);
    else
        collective(kind, comm, entry, waits);
}

static void tell(FILE* facts, const char* kind, const char* what, const double* values, int turns) {
    char name[64];
    snprintf(name, sizeof name, "%s.%s", kind, what);
    fact_series(facts, name, values, turns);
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const double late = atof(argv[2]);
    const int turns = atoi(argv[3]);
    const char* who = argc > 4 ? argv[4] : "first";
    static double entry[kMostTurns], waits[kMostTurns], leave[kMostTurns];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm comm;
    const int around = 1, no_reorder = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, no_reorder, &comm);
    MPI_Win_allocate((MPI_Aint)(size * sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shown, &window);
    FILE* facts = facts_open(rank);
    for (char* kind = strtok(argv[1], ","); kind != NULL; kind = strtok(NULL, ",")) {
        for (int i = 0; i < turns; ++i) {
            const int late_one = is(who, "turns") ? i * 7 % size : 0;
            if (late < 0) compute_s(0.2 * -late);  // what all have to do
            if (rank == late_one && (!is(who, "burst") || i % 8 == 3)) {
                if (late > 0) sleep_s(late);
                if (late < 0) compute_s(-late);
            }
            if (is(kind, "fence") || is(kind, "unlock")) {
                one_sided(kind, &entry[i], &waits[i], &leave[i]);
                continue;
            }
            if (is(kind, "post") || is(kind, "file") || is(kind, "accept")) {
                (is(kind, "post") ? epoch : is(kind, "file") ? write_together : meet)(&entry[i], &waits[i], &leave[i]);
                continue;
            }
            turn(kind, comm, &entry[i], &waits[i]);
            leave[i] = now_s();
        }
        tell(facts, kind, "entry_s", entry, turns);
        tell(facts, kind, "wait_s", waits, turns);
        tell(facts, kind, "exit_s", leave, turns);
    }
    facts_close(facts);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
