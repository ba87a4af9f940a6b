// Threads that do what threads hardly ever do: one that computes on after MPI_Finalize, one that forks a child that
// computes, and ones that bind themselves to a core each, with hwloc or without.
//   stray_threads KIND STEPS STEP_S
#include <hwloc.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>

#include "planted.h"

static int steps;
static double step_s;
static atomic_long done;

static double process_cpu_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void* shares(void* nothing) {
    for (int step = 0; step < steps; ++step) {
        compute_s(step_s / 2);
        atomic_fetch_add(&done, 1);
    }
    return nothing;
}

// Each of its children computes as much as it does.
static void* forks(void* nothing) {
    for (int step = 0; step < steps; ++step) {
        const pid_t child = fork();
        if (child == 0) {
            compute_s(step_s / 4);
            _exit(7);
        }
        compute_s(step_s / 4);
        int status = 0;
        if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7)
            atomic_fetch_add(&done, 1);
    }
    return nothing;
}

static hwloc_topology_t topology;

static void* bound(void* number) {
    const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)((long)number % cores));
    if (core != NULL) hwloc_set_cpubind(topology, core->cpuset, HWLOC_CPUBIND_THREAD);
    return shares(NULL);
}

static void bound_by_hwloc(void) {
    pthread_t threads[2];
    hwloc_topology_init(&topology);
    hwloc_topology_load(topology);
    for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, bound, (void*)i);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    hwloc_topology_destroy(topology);
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const char* kind = argv[1];
    int provided, rank;
    steps = atoi(argv[2]);
    step_s = atof(argv[3]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double before_s = process_cpu_s();
    pthread_t other;
    const int outlives = strcmp(kind, "outlives") == 0;
    if (strcmp(kind, "forks") == 0) pthread_create(&other, NULL, forks, NULL), shares(NULL), pthread_join(other, NULL);
    if (outlives) pthread_create(&other, NULL, shares, NULL), compute_s(step_s);
    if (strcmp(kind, "hwloc") == 0) bound_by_hwloc();
    MPI_Barrier(MPI_COMM_WORLD);
    if (outlives) MPI_Finalize(), pthread_join(other, NULL);
    printf("rank %d: %ld\n", rank, atomic_load(&done));
    fflush(stdout);
    FILE* facts = facts_open(rank);
    fact(facts, "cpu_s", process_cpu_s() - before_s);
    facts_close(facts);
    if (!outlives) MPI_Finalize();
    return 0;
}
