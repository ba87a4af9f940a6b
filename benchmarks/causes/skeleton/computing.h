// Computing by one thread, or by two that stay: the second one waits for its share of each piece.
#pragma once

#include <pthread.h>
#include <stdlib.h>

#include "planted.h"

typedef struct {
    pthread_barrier_t begin, end;
    double seconds;
    int there;
} Second;

static Second second;

static inline void* compute_beside(void* unused) {
    (void)unused;
    for (;;) {
        pthread_barrier_wait(&second.begin);
        compute_s(second.seconds);
        pthread_barrier_wait(&second.end);
    }
    return NULL;
}

static inline void start_second_thread(void) {
    pthread_t thread;
    pthread_barrier_init(&second.begin, NULL, 2), pthread_barrier_init(&second.end, NULL, 2);
    if (pthread_create(&thread, NULL, compute_beside, NULL) != 0) abort();
    second.there = 1;
}

// Each of so many threads computes so long.
static inline void compute_with(int threads, double seconds) {
    if (threads > 1 && !second.there) start_second_thread();
    second.seconds = seconds;
    if (threads > 1) pthread_barrier_wait(&second.begin);
    compute_s(seconds);
    if (threads > 1) pthread_barrier_wait(&second.end);
}
