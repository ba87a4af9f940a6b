// Empty parallel regions in chunks; or threads that sleep while the process is recorded, or run for a moment now and
// then.
//   teams regions THREADS CHUNKS    ns a region: the 10th percentile of chunks of 1,000
//   teams threads THREADS SECONDS AFTER   CPU time of the process in percent of one core, from AFTER seconds on
//   teams waking THREADS SECONDS AFTER    CPU time of Clearway's thread likewise, while each runs 20 times a second; 0
//                                         bare
#include <dirent.h>
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

// So far, in seconds.
static double cpu_of_recorder_s(void) {
    DIR* tasks = opendir("/proc/self/task");
    double found = 0;
    for (struct dirent* task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        char path[320], name[32] = "";
        unsigned long long ns = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE* file = fopen(path, "r");
        if (file == NULL) continue;
        const int is_ours = fscanf(file, "%31s", name) == 1 && strcmp(name, "clearway") == 0;
        fclose(file);
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        if (!is_ours || (file = fopen(path, "r")) == NULL) continue;
        if (fscanf(file, "%llu", &ns) == 1) found = 1e-9 * (double)ns;
        fclose(file);
    }
    if (tasks != NULL) closedir(tasks);
    return found;
}

static double wake(int threads, int seconds, int after) {
    double begin_s = 0, end_s = 0;
#pragma omp parallel num_threads(threads)
    {
        for (int i = 0; i < 20 * after; ++i) usleep(50000);
#pragma omp master
        begin_s = cpu_of_recorder_s();
        for (int i = 0; i < 20 * seconds; ++i) usleep(50000);
#pragma omp master
        end_s = cpu_of_recorder_s();
    }
    return 100 * (end_s - begin_s) / seconds;
}

static int compare(const void* a, const void* b) { return (*(double*)a > *(double*)b) - (*(double*)a < *(double*)b); }

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const int threads = atoi(argv[2]), number = atoi(argv[3]), after = argc > 4 ? atoi(argv[4]) : 0;
    static double times[MOST];
    volatile int sum = 0;
    if (strcmp(argv[1], "threads") == 0) {
#pragma omp parallel num_threads(threads)
        ++sum;
        sleep((unsigned)after);
        const double begin_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
        sleep((unsigned)number);
        printf("%.4f\n", 100 * (now_s(CLOCK_PROCESS_CPUTIME_ID) - begin_s) / number);
        return 0;
    }
    if (strcmp(argv[1], "waking") == 0) {
        printf("%.4f\n", wake(threads, number, after));
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
