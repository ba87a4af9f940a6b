// Uses memory: limits.c pages FOLDER MB STEPS [WORK] walks through a mapped file of its own in each step, and computes
// for so many turns after each page;
// limits.c grows MB STEPS has rank 1 take so much more in each.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kMiB = 1 << 20, kPage = 4096 };

static double work(int turns) {
    volatile double sum = 0;
    for (int i = 0; i < turns; ++i) sum += i;
    return sum;
}

static volatile const char* mapped_file(const char* folder, int rank, size_t bytes) {
    char name[512];
    snprintf(name, sizeof name, "%s/mapped.%d", folder, rank);
    const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    char* block = calloc(1, kMiB);
    for (size_t done = 0; done < bytes; done += kMiB)
        if (write(fd, block, kMiB) != kMiB) exit(2);
    free(block);
    fsync(fd);
    void* map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    madvise(map, bytes, MADV_RANDOM);  // a page at a time, as from a table
    unlink(name);
    return map;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int pages = strcmp(argv[1], "pages") == 0;
    const size_t bytes = (size_t)atoi(argv[pages ? 3 : 2]) * kMiB;
    const int steps = atoi(argv[pages ? 4 : 3]), turns = argc > 5 ? atoi(argv[5]) : 1000;
    volatile const char* map = pages ? mapped_file(argv[2], rank, bytes) : NULL;
    double sum = 0, all = 0;
    const double begin = MPI_Wtime();
    for (int step = 0; step < steps; ++step) {
        if (pages) {
            for (size_t at = 0; at < bytes; at += kPage) sum += map[at] + work(turns);
        } else {
            sum += work(20000000);
            if (rank == 1) memset(malloc(bytes), 1, bytes);
        }
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%d steps on %d ranks: %.4f ms a step\n", steps, ranks, (MPI_Wtime() - begin) * 1e3 / steps);
    MPI_Finalize();
    return 0;
}
