// Calls for ever, or until rank VICTIM has made TURNS turns and kills itself: counted VICTIM TURNS. In memory that
// outlives any kill, $TRUTH.<rank> says how many calls of each of three kinds it has begun and how many have ended.
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { KINDS = 3, FILES = 20, MOST_BYTES = 64 };

struct truth {
    volatile uint64_t begun[KINDS], ended[KINDS];
};

static struct truth* map_truth(int rank) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", getenv("TRUTH"), rank);
    const int fd = open(path, O_RDWR | O_CREAT, 0644);
    if (fd < 0 || ftruncate(fd, sizeof(struct truth)) != 0) exit(3);
    struct truth* truth = mmap(NULL, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (truth == MAP_FAILED) exit(3);
    close(fd);
    return truth;
}

#define COUNTED(kind, call)   \
    do {                      \
        ++truth->begun[kind]; \
        (void)!(call);        \
        ++truth->ended[kind]; \
    } while (0)

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const int victim = atoi(argv[1]), turns = atoi(argv[2]);
    int rank, size, files[FILES];
    char in[MOST_BYTES], out[MOST_BYTES] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct truth* truth = map_truth(rank);
    for (int i = 0; i < FILES; ++i) {
        char path[4096];
        snprintf(path, sizeof path, "%s.%d.file.%d", getenv("TRUTH"), rank, i);
        files[i] = open(path, O_WRONLY | O_CREAT, 0644);
    }
    MPI_Barrier(MPI_COMM_WORLD);  // from here on every rank has its files
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int turn = 0;; ++turn) {
        if (rank == victim && turn == turns) raise(SIGKILL);
        const int bytes = 1 + turn % MOST_BYTES;
        double mine = turn, sum;
        COUNTED(0, MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
        COUNTED(1, MPI_Sendrecv(out, bytes, MPI_CHAR, next, 0, in, bytes, MPI_CHAR, previous, 0, MPI_COMM_WORLD,
                                MPI_STATUS_IGNORE));
        COUNTED(2, write(files[turn % FILES], out, (size_t)bytes));
    }
}
