// Threads of a rank that compute, wait for each other, and are idle while one computes, for known times: with OpenMP,
// or with a thread of POSIX (argument "pthread"). Each says what it measured on itself.
//   teams KIND STEPS FIRST_S OTHERS_S ALONE_S
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "planted.h"

static sem_t begin, done;
static double others_s, others_cpu_s;

static void* worker(void* nothing) {
    for (;;) {
        sem_wait(&begin);
        const double before = cpu_s();
        compute_s(others_s);
        others_cpu_s += cpu_s() - before;
        sem_post(&done);
    }
    return nothing;
}

int main(int argc, char** argv) {
    if (argc < 6) return 2;
    const int steps = atoi(argv[2]), posix = strcmp(argv[1], "pthread") == 0;
    const double first_s = atof(argv[3]), alone_s = atof(argv[5]);
    double region_s = 0, alone_sum_s = 0, alone_cpu_s = 0, others_wait_s = 0;
    double first_wait_s = 0, first_spin_s = 0;  // without its waiting for a core; of that, on a core
    int rank = 0;
    others_s = atof(argv[4]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sem_init(&begin, 0, 0);
    sem_init(&done, 0, 0);
    pthread_t thread;
    const double first_step = now_s();
    if (posix) pthread_create(&thread, NULL, worker, NULL);
    for (int step = 0; step < steps; ++step) {
        const double entry = now_s();
        if (posix) {
            sem_post(&begin);
            compute_s(first_s);
            sem_wait(&done);
        } else {
            double first_end = 0, first_delay = 0, first_cpu = 0, others_end = 0;
#ifdef _OPENMP
#pragma omp parallel num_threads(2)
            {
                const double before = cpu_s();
                const int number = omp_get_thread_num();
                compute_s(number == 0 ? first_s : others_s);
                const double end = now_s();
                if (number == 0) {
                    first_delay = run_delay_s();
                    first_cpu = cpu_s();
                    first_end = end;
                } else {
                    others_cpu_s += cpu_s() - before;
                    others_end = end;
                }
            }
#endif
            const double exit = now_s();
            first_wait_s += exit - first_end - (run_delay_s() - first_delay);
            first_spin_s += cpu_s() - first_cpu;
            others_wait_s += exit - others_end;
        }
        const double exit = now_s(), exit_cpu = cpu_s();
        region_s += exit - entry;
        compute_s(alone_s);
        alone_sum_s += now_s() - exit;
        alone_cpu_s += cpu_s() - exit_cpu;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) {
        int ranks = 1;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        printf("%d steps on %d ranks: %.4f ms a step\n", steps, ranks, (now_s() - first_step) * 1e3 / steps);
        fflush(stdout);
    }
    FILE* facts = facts_open(rank);
    fact(facts, "region_s", region_s);
    fact(facts, "alone_s", alone_sum_s);
    fact(facts, "alone_cpu_s", alone_cpu_s);
    fact(facts, "others_cpu_s", others_cpu_s);
    fact(facts, "first_wait_s", first_wait_s);
    fact(facts, "first_spin_s", first_spin_s);
    fact(facts, "others_wait_s", others_wait_s);
    facts_close(facts);
    MPI_Finalize();
    exit(0);  // the worker sleeps on
}
