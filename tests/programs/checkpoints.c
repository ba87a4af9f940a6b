// Looks like GROMACS' mdrun to Clearway, and writes checkpoints as that does: once so many minutes have gone by, into
// state.cpt of a folder, and waits until they are on the disk. `gmx_checkpoints mdrun FOLDER STEPS [-cpt MINUTES]`.
#include <fcntl.h>
#include <mpi.h>
#include <string.h>

#include "planted.h"

enum { BYTES = 8000000 };

static void write_checkpoint(const char* folder) {
    static char state[BYTES];
    char path[4096];
    snprintf(path, sizeof path, "%s/state.cpt", folder);
    const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (file < 0 || write(file, state, BYTES) != BYTES || fsync(file) != 0 || close(file) != 0) abort();
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    double minutes = 15;
    for (int at = 4; at + 1 < argc; ++at)
        if (strcmp(argv[at], "-cpt") == 0) minutes = atof(argv[at + 1]);
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double written_s = now_s();
    for (int step = 0; step < atoi(argv[3]); ++step) {
        compute_s(0.02);
        if (rank == 0 && now_s() - written_s >= 60 * minutes) {
            write_checkpoint(argv[2]);
            written_s = now_s();
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
