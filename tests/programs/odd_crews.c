// Hybrid programs that are not one team a step: what each rank computed, and the processor time that it took.
//   odd_crews KIND STEPS STEP_S
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "planted.h"

static int steps, rank;
static double step_s;
static atomic_long done;

// Of all threads: making thousands of them takes as long as their work.
static double process_cpu_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void share(double seconds) {
    compute_s(seconds);
    atomic_fetch_add(&done, 1);
}

// Each region has another number of threads, sometimes one.
static void dynamic(void) {
    for (int step = 0; step < steps; ++step)
#pragma omp parallel num_threads(1 + step % 3)
        share(step_s / 3);
}

// On the host, where there is no device.
static void target(void) {
    for (int step = 0; step < steps; ++step) {
#pragma omp target teams distribute parallel for num_threads(2)
        for (int i = 0; i < 2; ++i) share(step_s / 2);
    }
}

static void* teams_of_one_thread(void* nothing) {
    for (int step = 0; step < steps; ++step)
#pragma omp parallel num_threads(2)
        share(step_s / 6);
    return nothing;
}

static void* talk(void* number) {
    for (int step = 0; step < steps; ++step) {
        long sent = rank, got = -1;
        share(step_s / 4);
        MPI_Sendrecv(&sent, 1, MPI_LONG, 1 - rank, (int)(long)number, &got, 1, MPI_LONG, 1 - rank, (int)(long)number,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        atomic_fetch_add(&done, got);
    }
    return NULL;
}

static void in_threads(void* body(void*), int number) {
    pthread_t threads[8];
    for (long i = 0; i < number; ++i) pthread_create(&threads[i], NULL, body, (void*)i);
    for (int i = 0; i < number; ++i) pthread_join(threads[i], NULL);
}

// Binds its first thread to one processor half way.
static void pins(void) {
    for (int step = 0; step < steps; ++step) {
        if (step == steps / 2) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(0, &one);
            sched_setaffinity(0, sizeof one, &one);
        }
#pragma omp parallel num_threads(2)
        share(step_s / 2);
    }
}

static void* one_share(void* nothing) {
    share(step_s / 100);
    return nothing;
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const char* kind = argv[1];
    int provided;
    steps = atoi(argv[2]);
    step_s = atof(argv[3]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double before = process_cpu_s();
    if (strcmp(kind, "dynamic") == 0) dynamic();
    if (strcmp(kind, "target") == 0) target();
    if (strcmp(kind, "several") == 0) in_threads(&teams_of_one_thread, 3);
    if (strcmp(kind, "multiple") == 0) in_threads(&talk, 4);
    if (strcmp(kind, "pins") == 0) pins();
    if (strcmp(kind, "thousands") == 0)
        for (int i = 0; i < 100 * steps; ++i) in_threads(&one_share, 1);
    const double computed_s = process_cpu_s() - before;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %ld\n", rank, atomic_load(&done));
    fflush(stdout);
    FILE* facts = facts_open(rank);
    fact(facts, "cpu_s", computed_s);
    facts_close(facts);
    MPI_Finalize();
    return 0;
}
