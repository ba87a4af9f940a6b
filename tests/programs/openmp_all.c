// Every kind of parallel region, and every way for threads to wait for each other: what comes out is the same whoever
// looks on. Argument: a library with regions of its own, which is loaded so that nobody else sees it.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { N = 1000 };

static long regions(int threads) {
    long sum = 0, order = 0, named = 0, single = 0, tasks = 0, sections = 0, nested = 0;
    long loops[5] = {0};
    omp_set_num_threads(threads);
#pragma omp parallel reduction(+ : sum)
    {
        sum += omp_get_thread_num() + 1;
#pragma omp barrier
#pragma omp for schedule(dynamic, 7)
        for (int i = 0; i < N; ++i) sum += i;
#pragma omp single
        ++single;
#pragma omp critical
        ++order;
#pragma omp critical(named)
        ++named;
    }
#pragma omp parallel for schedule(static) reduction(+ : loops[0])
    for (int i = 0; i < N; ++i) loops[0] += i;
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : loops[1])
    for (int i = 0; i < N; ++i) loops[1] += i;
#pragma omp parallel for schedule(guided) reduction(+ : loops[2])
    for (int i = 0; i < N; ++i) loops[2] += i;
#pragma omp parallel for schedule(runtime) reduction(+ : loops[3])
    for (int i = 0; i < N; ++i) loops[3] += i;
#pragma omp parallel for schedule(monotonic : dynamic, 2) reduction(+ : loops[4])
    for (int i = 0; i < N; ++i) loops[4] += i;
#pragma omp parallel sections reduction(+ : sections)
    {
#pragma omp section
        sections += 1;
#pragma omp section
        sections += 2;
#pragma omp section
        sections += 4;
    }
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 10; ++i)
#pragma omp task shared(tasks)
#pragma omp atomic
            tasks += i;
#pragma omp taskwait
#pragma omp taskloop shared(tasks)
        for (int i = 0; i < 10; ++i)
#pragma omp atomic
            tasks += i;
    }
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : nested)
    {
        long inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
        inner += 1;
        nested += inner;
    }
    return sum + order + named + single + tasks + sections + nested + loops[0] + loops[1] + loops[2] + loops[3] +
           loops[4];
}

int main(int argc, char** argv) {
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%d threads: %ld\n", 1, regions(1));
    printf("%d threads: %ld\n", 3, regions(3));
    if (argc > 1) {
        void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            printf("%s\n", dlerror());
            return 1;
        }
        double (*sum)(int) = (double (*)(int))dlsym(library, "sum_of_squares");
        for (int i = 0; i < 100; ++i)
            if (sum(N) != sum(N)) return 1;
        printf("of the library: %.0f\n", sum(N));
    }
#ifdef FORKS
    fflush(stdout);
#pragma omp parallel num_threads(2)
#pragma omp master
    {
        const pid_t child = fork();
        if (child == 0) _exit(7);
        int status = 0;
        waitpid(child, &status, 0);
        printf("child: %d\n", WEXITSTATUS(status));
    }
#endif
    MPI_Finalize();
    return 0;
}
