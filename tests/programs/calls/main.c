// Calls every family of MPI functions, prints a checksum of all results, and tells on the side what it called.
// Arguments: names of sections to run; none: all.
#include <stdio.h>

#include "calls.h"

static const struct {
    const char* name;
    void (*run)(const struct World*);
} kSections[] = {
    {"point_to_point", point_to_point},
    {"completion", completion},
    {"collectives", collectives},
    {"nonblocking_collectives", nonblocking_collectives},
    {"persistent_collectives", persistent_collectives},
    {"neighbourhoods", neighbourhoods},
    {"intercommunicators", intercommunicators},
    {"one_sided", one_sided},
    {"communicators", communicators},
    {"datatypes", datatypes},
    {"files", files},
    {"large_counts", large_counts},
};

static int wanted(const char* name, int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], name) == 0) return 1;
    return argc == 1;
}

int main(int argc, char** argv) {
    CALL(MPI_Init, &argc, &argv);
    struct World world = {.comm = MPI_COMM_WORLD};
    MPI_Comm_rank(world.comm, &world.rank);
    MPI_Comm_size(world.comm, &world.size);
    world.next = (world.rank + 1) % world.size;
    world.previous = (world.rank + world.size - 1) % world.size;
    for (size_t i = 0; i < sizeof kSections / sizeof *kSections; ++i)
        if (wanted(kSections[i].name, argc, argv)) kSections[i].run(&world);
    tally_print_checksum(world.rank);
    CALL(MPI_Finalize);
    tally_write(world.rank);
    return 0;
}
