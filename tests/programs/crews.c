// Threads that are organised in other ways than one team a region. Prints what came of it, which is the same whoever
// looks on; and tells how much CPU time the kernel counted for the whole process meanwhile.
//   crews nested|tasks|teams|pool|churn STEPS SECONDS
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

#include "planted.h"

enum { WORKERS = 3, JOBS = 6 };

static long done_jobs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static int waiting_jobs, open_jobs, closing;
static double job_s;

static void nested(double seconds) {
#pragma omp parallel num_threads(2)
    {
        compute_s(seconds / 2);
#pragma omp parallel num_threads(2)
        {
            compute_s(seconds / 4);
#pragma omp atomic
            ++done_jobs;
        }
    }
}

static void tasks(double seconds) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int job = 0; job < JOBS; ++job)
#pragma omp task
    {
        compute_s(2 * seconds / JOBS);
#pragma omp atomic
        ++done_jobs;
    }
}

static void teams(double seconds) {
#pragma omp parallel num_threads(2)
    {
        compute_s(seconds);
#pragma omp atomic
        ++done_jobs;
    }
}

static void* worker(void* nothing) {
    pthread_mutex_lock(&lock);
    for (;;) {
        while (waiting_jobs == 0 && !closing) pthread_cond_wait(&wanted, &lock);
        if (waiting_jobs == 0) break;
        --waiting_jobs;
        pthread_mutex_unlock(&lock);
        compute_s(job_s);
        pthread_mutex_lock(&lock);
        ++done_jobs;
        if (--open_jobs == 0) pthread_cond_signal(&finished);
    }
    pthread_mutex_unlock(&lock);
    return nothing;
}

static void pool(double seconds) {
    pthread_mutex_lock(&lock);
    job_s = 2 * seconds / JOBS;
    waiting_jobs = open_jobs = JOBS;
    pthread_cond_broadcast(&wanted);
    while (open_jobs > 0) pthread_cond_wait(&finished, &lock);
    pthread_mutex_unlock(&lock);
}

static void* short_lived(void* seconds) {
    compute_s(*(const double*)seconds);
    return NULL;
}

static void churn(double seconds) {
    pthread_t thread;
    pthread_create(&thread, NULL, short_lived, &seconds);
    compute_s(seconds);
    pthread_join(thread, NULL);
    done_jobs += 2;
}

static double process_cpu_s(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const struct {
        const char* name;
        void (*step)(double);
    } kinds[] = {{"nested", nested}, {"tasks", tasks}, {"teams", teams}, {"pool", pool}, {"churn", churn}};
    void (*step)(double) = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        if (strcmp(kinds[i].name, argv[1]) == 0) step = kinds[i].step;
    if (step == NULL) return 2;
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS && step == pool; ++i) pthread_create(&workers[i], NULL, worker, NULL);
    const double cpu_before = process_cpu_s();
    for (int turn = 0; turn < atoi(argv[2]); ++turn) step(atof(argv[3]));
    const double used_s = process_cpu_s() - cpu_before;
    pthread_mutex_lock(&lock);
    closing = 1;
    pthread_cond_broadcast(&wanted);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS && step == pool; ++i) pthread_join(workers[i], NULL);
    printf("rank %d: %ld\n", rank, done_jobs);
    FILE* facts = facts_open(rank);
    fact(facts, "cpu_s", used_s);
    facts_close(facts);
    MPI_Finalize();
    return 0;
}
