// Ranks that compute one after the other, and their twins in which all compute at the same time.
//   turns WAY TURNS SECONDS
//   ring       each computes once it has the token, which goes round TURNS times
//   together   all compute, then pass it on
//   line       what a rank makes of a piece goes to the next rank; then all meet
//   pieces     the same, cut into twenty pieces
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "planted.h"

enum { PIECES = 20 };

static int rank, ranks, token;

static void take(int from) { MPI_Recv(&token, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
static void give(int to) { MPI_Send(&token, 1, MPI_INT, to, 0, MPI_COMM_WORLD); }

static void ring(int turn, int turns, double seconds) {
    if (turn > 0 || rank > 0) take((rank + ranks - 1) % ranks);
    compute_s(seconds);
    if (turn < turns - 1 || rank < ranks - 1) give((rank + 1) % ranks);
}

static void together(double seconds) {
    compute_s(seconds);
    MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
}

static void line(int pieces, double seconds) {
    for (int piece = 0; piece < pieces; ++piece) {
        if (rank > 0) take(rank - 1);
        compute_s(seconds / pieces);
        if (rank < ranks - 1) give(rank + 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const int turns = atoi(argv[2]);
    const double seconds = atof(argv[3]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 0; turn < turns; ++turn) {
        if (strcmp(argv[1], "ring") == 0)
            ring(turn, turns, seconds);
        else if (strcmp(argv[1], "together") == 0)
            together(seconds);
        else
            line(strcmp(argv[1], "pieces") == 0 ? PIECES : 1, seconds);
    }
    MPI_Finalize();
    return 0;
}
