// A program of steps, each of computing and one MPI_Allreduce, that loses time inside MPI itself or by the order in
// which ranks use it, as programs do on real machines: no rule was written for these.
//   unforeseen_mpi KIND AMOUNT OBJECT [STEPS COMPUTE_S]
// What AMOUNT is, each kind says; 0 makes it the twin.
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "steps.h"

static double amount;
static const char* object;
static int rank, ranks;

// The last rank sends so many messages, each with a tag of its own, and rank 0 asks for the last one first: each
// receive searches the queue of those that nobody asked for yet.
static void receive_backwards(void) {
    char byte = 0;
    const int messages = (int)amount, last = ranks - 1;
    if (messages == 0 || ranks < 2) return;
    if (rank == last)
        for (int i = 0; i < messages; ++i) MPI_Send(&byte, 1, MPI_CHAR, 0, i, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = messages - 1; i >= 0; --i)
            MPI_Recv(&byte, 1, MPI_CHAR, last, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// So many MB of every second number, exchanged with the next rank as an indexed datatype: the MPI collects them one by
// one.
static void exchange_scattered(void) {
    const int numbers = (int)(amount * 1e6 / sizeof(double));
    if (numbers == 0) return;
    static double *mine, *theirs;
    static MPI_Datatype scattered;
    if (mine == NULL) {
        mine = calloc(2 * (size_t)numbers, sizeof *mine), theirs = calloc(2 * (size_t)numbers, sizeof *theirs);
        int* places = malloc((size_t)numbers * sizeof *places);
        for (int i = 0; i < numbers; ++i) places[i] = 2 * i;
        MPI_Type_create_indexed_block(numbers, 1, places, MPI_DOUBLE, &scattered);
        MPI_Type_commit(&scattered);
        free(places);
    }
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    MPI_Sendrecv(mine, 1, scattered, next, 1, theirs, 1, scattered, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// A sum whose operation takes so many seconds of CPU time.
static void slow_sum(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((double*)inout)[i] += ((double*)in)[i];
    compute_s(amount);
}

static void add_slowly(void) {
    static MPI_Op operation = MPI_OP_NULL;
    double mine[8] = {1}, sum[8];
    if (amount == 0) return;
    if (operation == MPI_OP_NULL) MPI_Op_create(slow_sum, 1, &operation);
    MPI_Allreduce(mine, sum, 8, MPI_DOUBLE, operation, MPI_COMM_WORLD);
}

// So many communicators, made and freed.
static void make_communicators(void) {
    for (int i = 0; i < (int)amount; ++i) {
        MPI_Comm copy;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Comm_free(&copy);
    }
}

// So many windows, made and freed.
static void make_windows(void) {
    static double memory[16];
    for (int i = 0; i < (int)amount; ++i) {
        MPI_Win window;
        MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_free(&window);
    }
}

// So many lines of a common log, through a file pointer that all ranks share.
static void write_shared(void) {
    static MPI_File file = MPI_FILE_NULL;
    char line[64];
    if (amount == 0) return;
    if (file == MPI_FILE_NULL)
        MPI_File_open(MPI_COMM_WORLD, object, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    memset(line, 'x', sizeof line);
    for (int i = 0; i < (int)amount; ++i) MPI_File_write_shared(file, line, sizeof line, MPI_CHAR, MPI_STATUS_IGNORE);
}

// Ranks take turns, each for so many seconds of CPU time: a sweep whose next part needs the last.
static void take_turns(void) {
    char token = 0;
    if (amount == 0) return;
    if (rank > 0) MPI_Recv(&token, 1, MPI_CHAR, rank - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute_s(amount);
    if (rank < ranks - 1) MPI_Send(&token, 1, MPI_CHAR, rank + 1, 2, MPI_COMM_WORLD);
}

// Ranks append to one file in turns, so many MB each, to the disk.
static void write_in_turns(void) {
    char token = 0;
    static char block[1 << 20];
    if (amount == 0) return;
    if (rank > 0) MPI_Recv(&token, 1, MPI_CHAR, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int file = open(object, O_CREAT | O_WRONLY | O_APPEND, 0600);
    for (int i = 0; i < (int)amount; ++i)
        if (write(file, block, sizeof block) < 0) abort();
    fsync(file);
    close(file);
    if (rank < ranks - 1) MPI_Send(&token, 1, MPI_CHAR, rank + 1, 3, MPI_COMM_WORLD);
}

// The last rank writes a file after so many seconds of CPU time; the others look for it again and again.
static void look_for_file(int step) {
    char path[512];
    struct stat there;
    if (amount == 0) return;
    snprintf(path, sizeof path, "%s.%d", object, step);
    if (rank == ranks - 1) {
        compute_s(amount);
        close(open(path, O_CREAT | O_WRONLY, 0600));
    } else {
        while (stat(path, &there) != 0)
            ;
    }
}

// Two threads add to one number under one mutex, so many million times each: they wait for each other all the time.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long common;

static void* add_under_lock(void* unused) {
    for (long i = 0; i < (long)(amount * 1e6); ++i) {
        pthread_mutex_lock(&mutex);
        ++common;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void fight_for_lock(void) {
    pthread_t other;
    if (amount == 0) return;
    pthread_create(&other, NULL, add_under_lock, NULL);
    add_under_lock(NULL);
    pthread_join(other, NULL);
}

// All ranks do all of the work, so many seconds of CPU time: what one of them does not do, nobody else need do.
static void do_all_the_work(void) { compute_s(amount); }

// Rank 0 gathers so many MB of each rank, and sends all to all of them.
static void gather_and_tell(void) {
    const int bytes = (int)(amount * 1e6);
    static char *mine, *all;
    if (bytes == 0) return;
    if (mine == NULL) mine = calloc(1, (size_t)bytes), all = calloc((size_t)ranks, (size_t)bytes);
    MPI_Gather(mine, bytes, MPI_CHAR, all, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(all, ranks * bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void lose_time(const char* kind, int rank_of_it, int step) {
    (void)rank_of_it;
    if (strcmp(kind, "backwards") == 0) receive_backwards();
    if (strcmp(kind, "scattered") == 0) exchange_scattered();
    if (strcmp(kind, "operation") == 0) add_slowly();
    if (strcmp(kind, "communicators") == 0) make_communicators();
    if (strcmp(kind, "windows") == 0) make_windows();
    if (strcmp(kind, "shared-file") == 0) write_shared();
    if (strcmp(kind, "turns") == 0) take_turns();
    if (strcmp(kind, "write-in-turns") == 0) write_in_turns();
    if (strcmp(kind, "look-for-file") == 0) look_for_file(step);
    if (strcmp(kind, "mutex") == 0) fight_for_lock();
    if (strcmp(kind, "all-the-work") == 0) do_all_the_work();
    if (strcmp(kind, "gather") == 0) gather_and_tell();
}

int main(int argc, char** argv) {
    if (argc < 4) return fprintf(stderr, "unforeseen_mpi KIND AMOUNT OBJECT [STEPS COMPUTE_S]\n"), 1;
    Steps all = steps_of(argc, argv);
    amount = atof(argv[2]), object = argv[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    all.rank = rank;
    take_steps(&all, lose_time);
    MPI_Finalize();
    return 0;
}
