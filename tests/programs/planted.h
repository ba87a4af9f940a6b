// What planted programs share: a clock, work that takes CPU time, and telling what they measured on themselves.
#pragma once

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// One clock for all processes of a machine.
static inline double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double cpu_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void compute_s(double seconds_of_cpu) {
    const double end = cpu_s() + seconds_of_cpu;
    volatile double sum = 0;
    while (cpu_s() < end)
        for (int i = 1; i < 10000; ++i) sum += 1.0 / i;
}

static inline void sleep_s(double seconds) {
    const struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

// Waiting as for a card that computes in the program's place: until a word of memory changes, which nobody does.
static inline void compute_elsewhere_s(double seconds) {
    const struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    static int word;
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
}

// Seconds this thread was runnable but had no core, as the kernel counts them.
static inline double run_delay_s(void) {
    FILE* file = fopen("/proc/thread-self/schedstat", "r");
    unsigned long long on_cpu = 0, delay = 0;
    if (file == NULL || fscanf(file, "%llu %llu", &on_cpu, &delay) != 2) abort();
    fclose(file);
    return 1e-9 * (double)delay;
}

// $TRUTH.<rank>, one JSON object: begin with facts_open, then any number of facts, then facts_close.
static inline FILE* facts_open(int rank) {
    char path[4096];
    const char* prefix = getenv("TRUTH");
    snprintf(path, sizeof path, "%s.%d", prefix != NULL ? prefix : "/dev/null", rank);
    FILE* file = fopen(prefix != NULL ? path : "/dev/null", "w");
    if (file == NULL) abort();
    fprintf(file, "{\"rank\": %d", rank);
    return file;
}

static inline void fact(FILE* file, const char* name, double value) { fprintf(file, ", \"%s\": %.9f", name, value); }

static inline void fact_series(FILE* file, const char* name, const double* values, int count) {
    fprintf(file, ", \"%s\": [", name);
    for (int i = 0; i < count; ++i) fprintf(file, "%s%.9f", i == 0 ? "" : ", ", values[i]);
    fprintf(file, "]");
}

static inline void facts_close(FILE* file) {
    fprintf(file, "}\n");
    fclose(file);
}
