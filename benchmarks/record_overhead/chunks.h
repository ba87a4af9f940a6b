// Times of chunks of calls. The program that includes this has its own `struct Calls` and kCallsPerChunk.
#pragma once

#include <stdlib.h>
#include <time.h>

static double time_of(void (*many)(const struct Calls*), const struct Calls* calls) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    many(calls);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (1e9 * (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec)) / kCallsPerChunk;
}

static int by_value(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double at_share(double* values, int count, double share) {
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[(int)(share * (count - 1))];
}
