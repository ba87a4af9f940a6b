// Times chunks of 1,000 calls and prints the 10th percentile in nanoseconds a call, then this rank's memory in kB.
//   calls iprobe|sendrecv CHUNKS
// Means are useless here: one preemption outweighs a million calls. With 0 chunks it only starts and stops MPI.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kCallsPerChunk = 1000 };

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_value(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static long resident_kb(void) {
    char line[256];
    long kb = 0;
    FILE* status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmRSS: %ld", &kb) == 1) break;
    if (status != NULL) fclose(status);
    return kb;
}

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const int polls = strcmp(argv[1], "iprobe") == 0, chunks = atoi(argv[2]);
    int rank, size, found;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int partner = (rank + 1) % size;
    double out = rank, in = 0;
    double* per_call = calloc((size_t)chunks + 1, sizeof *per_call);
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const double begin = now_ns();
        for (int i = 0; i < kCallsPerChunk; ++i) {
            if (polls) {
                MPI_Iprobe(partner, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
            } else {
                MPI_Sendrecv(&out, 1, MPI_DOUBLE, partner, 2, &in, 1, MPI_DOUBLE, partner, 2, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
            }
        }
        per_call[chunk] = (now_ns() - begin) / kCallsPerChunk;
    }
    qsort(per_call, (size_t)chunks, sizeof *per_call, by_value);
    if (rank == 0) printf("%.3f %ld\n", per_call[chunks / 10], resident_kb());
    MPI_Finalize();
    free(per_call);
    return 0;
}
