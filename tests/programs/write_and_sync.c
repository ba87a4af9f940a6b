// Each rank writes MEGABYTES to a file of its own in $SCRATCH, piece by piece, and syncs it every 10 pieces.
#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "planted.h"

int main(int argc, char** argv) {
    if (argc < 2 || getenv("SCRATCH") == NULL) return 2;
    const int pieces = atoi(argv[1]);
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char path[4096];
    snprintf(path, sizeof path, "%s/scratch.%d", getenv("SCRATCH"), rank);
    const size_t size = 1000000;
    char* piece = malloc(size);
    memset(piece, 7, size);
    double io = 0, off_core = 0;  // off_core: the part of io in which a core was missing, not the disk
    double begin = now_s();
    const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    io += now_s() - begin;
    if (file < 0) return 1;
    for (int i = 0; i < pieces; ++i) {
        compute_s(0.002);
        const double delay = run_delay_s();
        begin = now_s();
        if (write(file, piece, size) != (ssize_t)size) return 1;
        if (i % 10 == 9 && fsync(file) != 0) return 1;
        io += now_s() - begin;
        off_core += run_delay_s() - delay;
    }
    begin = now_s();
    if (fsync(file) != 0 || close(file) != 0) return 1;
    io += now_s() - begin;
    MPI_Barrier(MPI_COMM_WORLD);
    FILE* facts = facts_open(rank);
    fact(facts, "io_s", io - off_core);
    fact(facts, "bytes", (double)size * pieces);
    facts_close(facts);
    MPI_Finalize();
    unlink(path);
    free(piece);
    return 0;
}
