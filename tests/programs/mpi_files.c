// Ranks write and read a file through MPI-IO, and the last rank comes late to each collective call. What each measured:
// how long it was in collective calls before the last rank came, in all of them, and in those that it made by itself.
//   mpi_files FILE TURNS LATE_S BYTES
#include <mpi.h>
#include <stdlib.h>

#include "planted.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 5) return 2;
    const int turns = atoi(argv[2]), bytes = atoi(argv[4]);
    const double late_s = atof(argv[3]);
    char* data = calloc((size_t)bytes, 1);
    double waited_s = 0, together_s = 0, alone_s = 0;
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    for (int turn = 0; turn < turns; ++turn) {
        const MPI_Offset at = ((MPI_Offset)turn * ranks + rank) * bytes;
        double entry_s = now_s();
        MPI_File_write_at(file, at, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
        alone_s += now_s() - entry_s;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == ranks - 1) sleep_s(late_s);
        entry_s = now_s();
        MPI_File_write_at_all(file, at, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
        const double exit_s = now_s();
        double last_s = 0;
        MPI_Allreduce(&entry_s, &last_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        together_s += exit_s - entry_s;
        waited_s += (last_s < exit_s ? last_s : exit_s) - entry_s;
    }
    MPI_File_close(&file);
    FILE* facts = facts_open(rank);
    fact(facts, "waited_s", waited_s);
    fact(facts, "together_s", together_s);
    fact(facts, "alone_s", alone_s);
    facts_close(facts);
    free(data);
    MPI_Finalize();
    return 0;
}
