// A program without OpenMP that asks whether there is a runtime, and goes without one, or calls what it found.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

double sum_alone(const char* path, int n);

static void body(void* data) { ++*(int*)data; }

double sum_alone(const char* path, int n) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return -1;
    double (*sum)(int) = (double (*)(int))dlsym(library, "sum_of_squares");
    return sum(n);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int calls = 0;
    void (*parallel)(void (*)(void*), void*, unsigned, unsigned) =
        (void (*)(void (*)(void*), void*, unsigned, unsigned))dlsym(RTLD_DEFAULT, "GOMP_parallel");
    if (parallel != NULL)
        parallel(body, &calls, 4, 0);
    else
        body(&calls);
    printf("%d\n", calls);
    if (argc > 1) printf("%.0f\n", sum_alone(argv[1], 1000));
    MPI_Finalize();
    return 0;
}
