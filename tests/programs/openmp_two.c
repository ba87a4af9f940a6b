// Libraries whose OpenMP runtimes nobody else sees. A runtime that everybody sees may come after their first regions.
// Arguments: two libraries; what is loaded for everybody.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

enum { N = 1000, TURNS = 5 };

typedef double Sum(int);

static Sum* sum_in(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library != NULL ? (Sum*)dlsym(library, "sum_of_squares") : NULL;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc < 3) return 2;
    Sum *one = sum_in(argv[1]), *other = sum_in(argv[2]);
    if (one == NULL || other == NULL) return 1;
    for (int turn = 0; turn < TURNS; ++turn) {
        printf("%.0f %.0f\n", one(N), other(N));
        if (turn == 0 && argc > 3 && dlopen(argv[3], RTLD_NOW | RTLD_GLOBAL) == NULL) return 1;
    }
    MPI_Finalize();
    return 0;
}
