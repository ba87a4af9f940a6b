// Loads a library with parallel regions for everybody, unloads it, and with it the OpenMP runtime, and loads it again
// once something else is where the two were. As plugins are; each region has one thread, so that none stays behind.
// Argument: the library.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>

enum { TURNS = 3, N = 1000, PIECES = 256 };

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    for (int turn = 0; argc > 1 && turn < TURNS; ++turn) {
        void* library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
        if (library == NULL) {
            printf("%s\n", dlerror());
            return 1;
        }
        double (*sum)(int) = (double (*)(int))dlsym(library, "sum_of_squares");
        printf("%.0f\n", sum(N));
        dlclose(library);
        for (int i = 0; i < PIECES; ++i) mmap(NULL, 4096U << (i % 8), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    MPI_Finalize();
    return 0;
}
