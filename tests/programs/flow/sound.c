// What once hung or ended a job under Clearway although it works without, told in lines that must be the same with and
// without.
//   sound [alone] [nulls] [short] [callbacks] [finalize] [many N] [churn N] [jump] [memory]
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MOST = 16, BLOCK = 3000 };

static int rank, ranks, bad;
static char out[MOST * BLOCK * 2], in[MOST * BLOCK * 2];

static int class_of(int code) {
    int class = 0;
    MPI_Error_class(code, &class);
    return code == MPI_SUCCESS ? 0 : class;
}

// A call that is right, and whether it is.
static void exchange(MPI_Comm comm, int key) {
    int me, size, a[MOST], b[MOST];
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; ++i) a[i] = me * 1000 + i + key;
    MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, comm);
    for (int i = 0; i < size; ++i) bad += b[i] != i * 1000 + me + key;
}

static int is_mpich_like(void) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    return strstr(version, "Open MPI") == NULL;
}

static int takes_null_types_of_empty_blocks(MPI_Comm self) {
    int none = 0;
    MPI_Datatype null = MPI_DATATYPE_NULL, whole = MPI_INT;
    return MPI_Alltoallw(out, &none, &none, &null, in, &none, &none, &whole, self) == MPI_SUCCESS;
}

#define TELL(what, call) printf("%s: class %d\n", what, class_of(call))

static void err(MPI_Comm c, MPI_Comm self) {
    int one[MOST], negative[MOST], none[MOST] = {0}, places[MOST];
    MPI_Datatype whole[MOST], null[MOST], odd[MOST], uncommitted, N = MPI_DATATYPE_NULL, I = MPI_INT;
    MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
    for (int i = 0; i < MOST; ++i) {
        one[i] = 1;
        negative[i] = i == 1 ? -5 : 1;
        places[i] = i;
        whole[i] = odd[i] = I;
        null[i] = N;
    }
    odd[ranks - 1] = uncommitted;
    TELL("alltoall, negative", MPI_Alltoall(out, -1, I, in, -1, I, c));
    TELL("alltoall, null type", MPI_Alltoall(out, 0, N, in, 0, I, c));
    TELL("alltoall, null type to receive", MPI_Alltoall(out, 1, I, in, 1, N, c));
    TELL("alltoall, uncommitted", MPI_Alltoall(out, 1, uncommitted, in, 2, I, c));
    TELL("alltoallv, negative", MPI_Alltoallv(out, negative, places, I, in, one, places, I, c));
    TELL("alltoallv, negative to receive", MPI_Alltoallv(out, one, places, I, in, negative, places, I, c));
    TELL("alltoallv, null type", MPI_Alltoallv(out, one, places, N, in, one, places, I, c));
    TELL("alltoallv, null type of nothing", MPI_Alltoallv(out, none, places, N, in, none, places, I, c));
    TELL("alltoallv, uncommitted", MPI_Alltoallv(out, one, places, uncommitted, in, one, places, I, c));
    TELL("alltoallw, negative", MPI_Alltoallw(out, negative, places, whole, in, one, places, whole, c));
    TELL("alltoallw, null types", MPI_Alltoallw(out, one, places, null, in, one, places, whole, c));
    TELL("alltoallw, uncommitted", MPI_Alltoallw(out, one, places, odd, in, one, places, whole, c));
    if (!takes_null_types_of_empty_blocks(self))
        TELL("alltoallw, null types of nothing", MPI_Alltoallw(out, none, places, null, in, none, places, whole, c));
    TELL("allgather, negative", MPI_Allgather(out, -1, I, in, 1, I, c));
    TELL("allgather, null type", MPI_Allgather(out, 0, N, in, 0, I, c));
    TELL("allgatherv, negative", MPI_Allgatherv(out, -1, I, in, one, places, I, c));
    TELL("allgatherv, null type", MPI_Allgatherv(out, 1, N, in, one, places, I, c));
    if (is_mpich_like()) {
        TELL("alltoall, aliased", MPI_Alltoall(in, 1, I, in, 1, I, c));
        TELL("alltoallv, aliased", MPI_Alltoallv(in, one, places, I, in, one, places, I, c));
        TELL("alltoallw, aliased", MPI_Alltoallw(in, none, places, whole, in, none, places, whole, c));
        TELL("allgather, aliased", MPI_Allgather(in + rank * 4, 1, I, in, 1, I, c));
        TELL("allgatherv, aliased", MPI_Allgatherv(in + rank * 4, 1, I, in, one, places, I, c));
        TELL("alltoall, no buffer", MPI_Alltoall(NULL, 1, I, in, 1, I, c));
        TELL("alltoallv, no buffer", MPI_Alltoallv(out, one, places, I, NULL, one, places, I, c));
        TELL("alltoallw, no buffer", MPI_Alltoallw(out, one, places, whole, NULL, one, places, whole, c));
        TELL("allgatherv, no buffer", MPI_Allgatherv(out, 1, I, NULL, one, places, I, c));
    } else {
        int two[MOST];
        for (int i = 0; i < MOST; ++i) two[i] = 2;
        TELL("alltoall, sides that differ", MPI_Alltoall(out, 1, I, in, 2, I, c));
        TELL("alltoallv, sides that differ", MPI_Alltoallv(out, one, places, I, in, two, places, I, c));
    }
    MPI_Type_free(&uncommitted);
}

// One rank's errors, in which the others have no part.
static void alone(void) {
    MPI_Comm fresh, used, self;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    MPI_Comm_dup(MPI_COMM_WORLD, &used);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(fresh, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(used, MPI_ERRORS_RETURN);
    for (int i = 0; i < 5; ++i) exchange(used, i);
    if (rank == ranks - 1) err(fresh, self);
    if (rank == ranks - 1) err(used, self);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 5; ++i) exchange(used, i);
    for (int i = 0; i < 5; ++i) exchange(fresh, i);
    MPI_Comm_free(&used);
    MPI_Comm_free(&fresh);
    MPI_Comm_free(&self);
}

// A ring in which some ranks give null types for what is empty, where the MPI takes that.
static void nulls(void) {
    MPI_Comm self;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    const int takes = takes_null_types_of_empty_blocks(self);
    MPI_Comm_free(&self);
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    for (int turn = 0; turn < 20; ++turn) {
        int a[MOST], b[MOST], sent[MOST], received[MOST], places[MOST];
        MPI_Datatype from[MOST], to[MOST];
        for (int i = 0; i < ranks; ++i) {
            a[i] = rank * 100 + turn;
            sent[i] = i == next;
            received[i] = i == before;
            places[i] = 4 * i;
            from[i] = sent[i] || turn % ranks == rank || !takes ? MPI_INT : MPI_DATATYPE_NULL;
            to[i] = received[i] || turn % ranks == rank || !takes ? MPI_INT : MPI_DATATYPE_NULL;
        }
        MPI_Alltoallw(a, sent, places, from, b, received, places, to, MPI_COMM_WORLD);
        bad += b[before] != before * 100 + turn;
    }
}

// Room for more than is sent: MPI forbids it, and every MPI does it.
static void less_than_room(void) {
    static const int kSizes[] = {1, 24, 63, 64, 128, 999, 1000, 1001, 2000, 2999};
    for (unsigned turn = 0; turn < 40; ++turn) {
        const int size = kSizes[turn % (sizeof kSizes / sizeof *kSizes)];
        int sent[MOST], received[MOST], places[MOST];
        for (int i = 0; i < ranks; ++i) {
            sent[i] = size;
            received[i] = i == rank ? size : BLOCK;
            places[i] = i * BLOCK;
        }
        memset(out, rank + (int)turn, sizeof out);
        memset(in, -1, sizeof in);
        MPI_Alltoallv(out, sent, places, MPI_BYTE, in, received, places, MPI_BYTE, MPI_COMM_WORLD);
        for (int i = 0; i < ranks; ++i) {
            for (int k = 0; k < size; ++k) bad += in[i * BLOCK + k] != (char)(i + (int)turn);
            for (int k = size; k < BLOCK; ++k) bad += in[i * BLOCK + k] != -1;
        }
    }
}

static int last_call(MPI_Comm comm, int key, void* value, void* extra) {
    (void)key, (void)value, (void)extra;
    exchange(comm, 5);
    exchange(MPI_COMM_WORLD, 6);
    return MPI_SUCCESS;
}

// Attributes' delete functions that communicate, on all ranks; and on one, whose call meets the others' plain one.
static void callbacks(void) {
    int all, some;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last_call, &all, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last_call, &some, NULL);
    for (int turn = 0; turn < 12; ++turn) {
        MPI_Comm comm;
        if (turn % 2)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        else
            MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
        if (turn % 3 == 0) MPI_Comm_set_attr(comm, all, &all);
        if (turn % 3 == 1 && rank == 0) MPI_Comm_set_attr(comm, some, &some);
        for (int i = 0; i < turn % 4; ++i) exchange(comm, i);
        if (turn % 3 == 1 && rank != 0) last_call(comm, 0, NULL, NULL);
        if (turn % 3 == 0 && turn % 2)
            MPI_Comm_disconnect(&comm);
        else
            MPI_Comm_free(&comm);
    }
    MPI_Comm_free_keyval(&all);
    MPI_Comm_free_keyval(&some);
}

static int at_the_end(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    for (int i = 0; i < 3; ++i) exchange(MPI_COMM_WORLD, 7);
    printf("rank %d at the end: %d wrong\n", rank, bad);
    return MPI_SUCCESS;
}

static void finalize(void) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
    for (int i = 0; i < 5; ++i) exchange(MPI_COMM_WORLD, i);
}

// Alive at a time: of all ranks, and of different ones.
static void many(int count) {
    MPI_Comm* comms = malloc((size_t)count * sizeof *comms);
    for (int i = 0; i < count; ++i) {
        if (i % 4 == 3)
            MPI_Comm_split(MPI_COMM_WORLD, i % 8 == 7 ? rank == i / 8 % ranks : 0, i % 16 < 8 ? rank : -rank,
                           &comms[i]);
        else
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        exchange(comms[i], i);
    }
    for (int i = count - 1; i >= 0; i -= 7) exchange(comms[i], i);
    for (int i = 0; i < count; ++i) MPI_Comm_free(&comms[i]);
    free(comms);
}

static long resident_kb(void) {
    long pages = 0, resident = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) exit(3);
    fclose(file);
    return resident * 4;
}

// One after another, and alltoallv of which no two are alike. Memory is told on stderr: it is not the same every time.
static void churn(int count) {
    for (int turn = 0; turn < count; ++turn) {
        MPI_Comm comm;
        if (turn % 3 == 0)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        else
            MPI_Comm_split(MPI_COMM_WORLD, turn % 3 == 1 ? 0 : rank % 2, ranks - rank, &comm);
        exchange(comm, turn);
        if (turn % 2)
            MPI_Comm_free(&comm);
        else
            MPI_Comm_disconnect(&comm);
        int sent[MOST], received[MOST], places[MOST];
        for (int i = 0; i < ranks; ++i) {
            sent[i] = (turn * (rank + 3) * (i + 5) >> 2) % 7 * 100;
            received[i] = (turn * (i + 3) * (rank + 5) >> 2) % 7 * 100;
            places[i] = i * BLOCK;
        }
        MPI_Alltoallv(out, sent, places, MPI_BYTE, in, received, places, MPI_BYTE, MPI_COMM_WORLD);
        if (rank == 0 && (turn == count / 2 || turn == count - 1))
            fprintf(stderr, "after %d: %ld kB\n", turn + 1, resident_kb());
    }
}

static jmp_buf back;

static void leave(MPI_Comm* comm, int* code, ...) {
    (void)comm, (void)code;
    longjmp(back, 1);
}

__attribute__((noinline)) static void deeper(MPI_Comm comm, int depth) {
    volatile char space[256];
    space[depth] = 0;
    if (depth == 0)
        exchange(comm, 3);
    else
        deeper(comm, depth - 1);
    space[depth] = space[depth / 2];
}

// An error handler that does not come back.
static void jump(void) {
    MPI_Comm comm;
    MPI_Errhandler handler;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    for (int i = 0; i < 3; ++i) exchange(comm, i);
    volatile int jumps = 0;
    for (volatile int turn = 0; turn < 8; ++turn) {
        if (setjmp(back) != 0)
            ++jumps;
        else if (turn % ranks == rank)  // one rank's error
            MPI_Alltoall(out, -1, MPI_INT, in, -1, MPI_INT, comm);
        exchange(comm, turn);
        exchange(MPI_COMM_WORLD, turn);
        deeper(MPI_COMM_WORLD, 20);
    }
    printf("rank %d: %d jumps\n", rank, jumps);
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&handler);
}

// A large call where there is no memory left for copies on one rank, after small ones.
static void memory(void) {
    const int block = 4 << 20;
    char *from = malloc((size_t)ranks * block), *to = malloc((size_t)ranks * block);
    memset(from, rank, (size_t)ranks * block);
    memset(to, -1, (size_t)ranks * block);
    for (int i = 0; i < 2; ++i) MPI_Alltoall(from, 1 << 20, MPI_BYTE, to, 1 << 20, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < 2; ++i) exchange(MPI_COMM_WORLD, i);
    if (rank == ranks - 1) {
        long pages = 0;
        FILE* file = fopen("/proc/self/statm", "r");
        if (file == NULL || fscanf(file, "%ld", &pages) != 1) exit(3);
        fclose(file);
        struct rlimit limit;
        getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = (rlim_t)pages * 4096 + (1 << 20);
        setrlimit(RLIMIT_AS, &limit);
    }
    for (int i = 0; i < 3; ++i) {
        MPI_Alltoall(from, block, MPI_BYTE, to, block, MPI_BYTE, MPI_COMM_WORLD);
        for (int k = 0; k < ranks; ++k) bad += to[(size_t)k * block + 17] != k;
        exchange(MPI_COMM_WORLD, i);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < argc; ++i) {
        const char* what = argv[i];
        const int count = i + 1 < argc ? atoi(argv[i + 1]) : 0;
        if (strcmp(what, "alone") == 0) alone();
        if (strcmp(what, "nulls") == 0) nulls();
        if (strcmp(what, "short") == 0) less_than_room();
        if (strcmp(what, "callbacks") == 0) callbacks();
        if (strcmp(what, "finalize") == 0) finalize();
        if (strcmp(what, "many") == 0) many(count);
        if (strcmp(what, "churn") == 0) churn(count);
        if (strcmp(what, "jump") == 0) jump();
        if (strcmp(what, "memory") == 0) memory();
    }
    exchange(MPI_COMM_WORLD, 9);
    printf("rank %d: %d wrong\n", rank, bad);
    fflush(stdout);
    MPI_Finalize();
    return bad != 0;
}
