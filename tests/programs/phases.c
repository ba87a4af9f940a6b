// Three kinds of work one after the other, each marked by MPI_Pcontrol: all compute, rank 0 alone computes while the
// others wait for it, all write a file. $1: seconds of each; $2: a prefix for the files; $3: the phase to stay in for
// good, until killed.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planted.h"

enum { kTurns = 20, kPiece = 1 << 20 };

static void write_for(double seconds, int file) {
    static char piece[kPiece];
    const double end = now_s() + seconds;
    while (now_s() < end)
        if (pwrite(file, piece, kPiece, 0) != kPiece) abort();
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const double seconds = atof(argv[1]);
    const int last = argc > 3 ? atoi(argv[3]) : 0;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", argv[2], rank);
    const int file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (file < 0) abort();

    MPI_Pcontrol(1);
    compute_s(seconds);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(2);
    for (int turn = 0; turn < kTurns || last == 2; ++turn) {
        if (rank == 0) compute_s(seconds / kTurns);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Pcontrol(3, "more", 4);
    write_for(seconds, file);
    MPI_Barrier(MPI_COMM_WORLD);
    unlink(path);
    MPI_Finalize();
    return 0;
}
