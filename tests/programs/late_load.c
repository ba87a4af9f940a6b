// A program without MPI that loads a plugin which has it, with RTLD_LOCAL, as Python loads mpi4py.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*plugin_main)(int, char**) = (int (*)(int, char**))dlsym(plugin, "plugin_main");
    return plugin_main(argc - 1, argv + 1);
}
