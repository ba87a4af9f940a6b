// A program without MPI that loads a plugin which has it, unloads it, and with it the MPI, and loads both again once
// something else is where they were. Argument: the plugin.
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>

enum { TURNS = 3, PIECES = 40, MOST_BYTES = 1 << 24 };

int main(int argc, char** argv) {
    for (int turn = 0; argc > 1 && turn < TURNS; ++turn) {
        void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (plugin == NULL) {
            printf("%s\n", dlerror());
            return 1;
        }
        int (*sum)(int) = (int (*)(int))dlsym(plugin, "sum_over_ranks");
        printf("%d\n", sum(turn));
        fflush(stdout);
        dlclose(plugin);
        for (int i = 0; i < PIECES; ++i)
            for (size_t bytes = 4096; bytes < MOST_BYTES; bytes *= 2)
                mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    return 0;
}
