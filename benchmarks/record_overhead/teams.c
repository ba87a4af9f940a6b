// Empty parallel regions in chunks; or threads that sleep while the process is recorded.
//   teams regions THREADS CHUNKS    ns a region: the 10th percentile of chunks of 1,000
//   teams threads THREADS SECONDS   CPU time of the process in percent of one core
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 1000, MOST = 10000 };

static double now_s(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void* a, const void* b) { return (*(double*)a > *(double*)b) - (*(double*)a < *(double*)b); }

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const int threads = atoi(argv[2]), number = atoi(argv[3]);
    static double times[MOST];
    volatile int sum = 0;
    if (strcmp(argv[1], "threads") == 0) {
#pragma omp parallel num_threads(threads)
        ++sum;
        const double begin_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
        sleep((unsigned)number);
        printf("%.4f\n", 100 * (now_s(CLOCK_PROCESS_CPUTIME_ID) - begin_s) / number);
        return 0;
    }
    for (int chunk = 0; chunk < number && chunk < MOST; ++chunk) {
        const double begin_s = now_s(CLOCK_MONOTONIC);
        for (int i = 0; i < CHUNK; ++i)
#pragma omp parallel num_threads(threads)
            sum = i;
        times[chunk] = 1e9 * (now_s(CLOCK_MONOTONIC) - begin_s) / CHUNK;
    }
    qsort(times, (size_t)number, sizeof *times, compare);
    printf("%.1f\n", times[number / 10]);
    return 0;
}
