// A PMPI tool as users have them, for a library: it wraps MPI_X, counts, and calls PMPI_X. Rank 0 tells all ranks'
// counts when MPI ends, as mpiP does. With -DWATCHER it is of MUST's kind, too: it starts MPI for many threads,
// whatever the program asked for, talks by a thread and a communicator of its own, calls other PMPI functions inside
// its wrappers, heeds MPI_Pcontrol, and stands before Fortran's names as well.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum Function {
    kSend,
    kIsend,
    kRecv,
    kIrecv,
    kWait,
    kWaitall,
    kTest,
    kSendrecv,
    kBarrier,
    kBcast,
    kAllreduce,
    kAlltoall,
    kAlltoallv,
    kAllgather,
    kCommDup,
    kCommSplit,
    kCommFree,
    kWinCreate,
    kPut,
    kFileOpen,
    kInit,
    kInitThread,
    kFinalize,
    kPcontrol,
    kFortranBarrier,
    kFunctions
};
static const char* const names[kFunctions] = {
    "Send",  "Isend",     "Recv",     "Irecv",       "Wait",      "Waitall",  "Test",       "Sendrecv",  "Barrier",
    "Bcast", "Allreduce", "Alltoall", "Alltoallv",   "Allgather", "Comm_dup", "Comm_split", "Comm_free", "Win_create",
    "Put",   "File_open", "Init",     "Init_thread", "Finalize",  "Pcontrol", "barrier_",
};
static long made[kFunctions];

#ifdef WATCHER
static MPI_Comm own = MPI_COMM_NULL;
static pthread_t watcher;
static int stopping;

// Its own messages, round and round, while the program works.
static void* watch(void* unused) {
    (void)unused;
    int rank, size;
    PMPI_Comm_rank(own, &rank);
    PMPI_Comm_size(own, &size);
    for (int going = 1, all = 1; all; going = !__atomic_load_n(&stopping, __ATOMIC_ACQUIRE)) {
        long out = going, in = 0;
        PMPI_Sendrecv(&out, 1, MPI_LONG, (rank + 1) % size, 1, &in, 1, MPI_LONG, (rank + size - 1) % size, 1, own,
                      MPI_STATUS_IGNORE);
        PMPI_Allreduce(&going, &all, 1, MPI_INT, MPI_MAX, own);
    }
    return NULL;
}

static void begin_watching(void) {
    PMPI_Comm_dup(MPI_COMM_WORLD, &own);
    pthread_create(&watcher, NULL, watch, NULL);
}

static void end_watching(void) {
    __atomic_store_n(&stopping, 1, __ATOMIC_RELEASE);
    pthread_join(watcher, NULL);
    PMPI_Comm_free(&own);
}

static void look(MPI_Comm comm) {
    int size = 0, flag = 0;
    MPI_Comm_size(comm, &size);
    PMPI_Comm_test_inter(comm, &flag);
}

__attribute__((weak)) void pmpi_barrier_(int* comm, int* error);  // only Fortran programs have it
void mpi_init_(int* error) { *error = MPI_Init(NULL, NULL); }
void mpi_finalize_(int* error) { *error = MPI_Finalize(); }
void mpi_barrier_(int* comm, int* error) {
    ++made[kFortranBarrier];
    pmpi_barrier_(comm, error);
}
#else
static void begin_watching(void) {}
static void end_watching(void) {}
static void look(MPI_Comm comm) { (void)comm; }
#endif

static int begin(int* argc, char*** argv, int required, int* provided) {
#ifdef WATCHER
    required = MPI_THREAD_MULTIPLE;
#endif
    const int code = PMPI_Init_thread(argc, argv, required, provided);
    begin_watching();
    return code;
}

int MPI_Init(int* argc, char*** argv) {
    int provided;
    ++made[kInit];
    return begin(argc, argv, MPI_THREAD_SINGLE, &provided);
}
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    ++made[kInitThread];
    return begin(argc, argv, required, provided);
}
int MPI_Finalize(void) {
    long sums[kFunctions];
    int rank;
    ++made[kFinalize];
    end_watching();
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(made, sums, kFunctions, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < kFunctions; ++i) printf("tool: %s %ld\n", names[i], sums[i]);
    fflush(stdout);
    return PMPI_Finalize();
}
int MPI_Pcontrol(const int level, ...) {
    made[kPcontrol] += level;
    return MPI_SUCCESS;
}

#define WRAP(which, name, comm, parameters, arguments)         \
    int MPI_##name parameters {                                \
        __atomic_fetch_add(&made[which], 1, __ATOMIC_RELAXED); \
        look(comm);                                            \
        return PMPI_##name arguments;                          \
    }
typedef MPI_Datatype Type;
WRAP(kSend, Send, comm, (const void* b, int n, Type t, int to, int tag, MPI_Comm comm), (b, n, t, to, tag, comm))
WRAP(kIsend, Isend, comm, (const void* b, int n, Type t, int to, int tag, MPI_Comm comm, MPI_Request* r),
     (b, n, t, to, tag, comm, r))
WRAP(kRecv, Recv, comm, (void* b, int n, Type t, int from, int tag, MPI_Comm comm, MPI_Status* s),
     (b, n, t, from, tag, comm, s))
WRAP(kIrecv, Irecv, comm, (void* b, int n, Type t, int from, int tag, MPI_Comm comm, MPI_Request* r),
     (b, n, t, from, tag, comm, r))
WRAP(kWait, Wait, MPI_COMM_WORLD, (MPI_Request * r, MPI_Status* s), (r, s))
WRAP(kWaitall, Waitall, MPI_COMM_WORLD, (int n, MPI_Request* r, MPI_Status* s), (n, r, s))
WRAP(kTest, Test, MPI_COMM_WORLD, (MPI_Request * r, int* flag, MPI_Status* s), (r, flag, s))
WRAP(kSendrecv, Sendrecv, comm,
     (const void* b, int n, Type t, int to, int tag, void* c, int m, Type u, int from, int tug, MPI_Comm comm,
      MPI_Status* s),
     (b, n, t, to, tag, c, m, u, from, tug, comm, s))
WRAP(kBarrier, Barrier, comm, (MPI_Comm comm), (comm))
WRAP(kBcast, Bcast, comm, (void* b, int n, Type t, int root, MPI_Comm comm), (b, n, t, root, comm))
WRAP(kAllreduce, Allreduce, comm, (const void* b, void* c, int n, Type t, MPI_Op o, MPI_Comm comm),
     (b, c, n, t, o, comm))
WRAP(kAlltoall, Alltoall, comm, (const void* b, int n, Type t, void* c, int m, Type u, MPI_Comm comm),
     (b, n, t, c, m, u, comm))
WRAP(kAlltoallv, Alltoallv, comm,
     (const void* b, const int n[], const int d[], Type t, void* c, const int m[], const int e[], Type u,
      MPI_Comm comm),
     (b, n, d, t, c, m, e, u, comm))
WRAP(kAllgather, Allgather, comm, (const void* b, int n, Type t, void* c, int m, Type u, MPI_Comm comm),
     (b, n, t, c, m, u, comm))
WRAP(kCommDup, Comm_dup, comm, (MPI_Comm comm, MPI_Comm* c), (comm, c))
WRAP(kCommSplit, Comm_split, comm, (MPI_Comm comm, int color, int key, MPI_Comm* c), (comm, color, key, c))
WRAP(kCommFree, Comm_free, *comm, (MPI_Comm * comm), (comm))
WRAP(kWinCreate, Win_create, comm, (void* b, MPI_Aint n, int u, MPI_Info i, MPI_Comm comm, MPI_Win* w),
     (b, n, u, i, comm, w))
WRAP(kPut, Put, MPI_COMM_WORLD, (const void* b, int n, Type t, int to, MPI_Aint at, int m, Type u, MPI_Win w),
     (b, n, t, to, at, m, u, w))
WRAP(kFileOpen, File_open, comm, (MPI_Comm comm, const char* p, int m, MPI_Info i, MPI_File* f), (comm, p, m, i, f))
