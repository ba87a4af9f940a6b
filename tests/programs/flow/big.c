// One element of a little over 2 GiB, sent from a type with holes that overlap, so that the sender needs 1 MiB only.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEBIBYTE = 1 << 20, COUNT = 2049 };

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype piece, same, apart;
    MPI_Type_contiguous(MEBIBYTE, MPI_BYTE, &piece);
    MPI_Type_create_hvector(COUNT, 1, 0, piece, &same);
    MPI_Type_contiguous(COUNT, piece, &apart);
    MPI_Type_commit(&same);
    MPI_Type_commit(&apart);
    int sent[2] = {0, rank == 0}, received[2] = {rank == 1, 0}, places[2] = {0, 0};
    const long bytes = (long)COUNT * MEBIBYTE;
    char* from = malloc(MEBIBYTE);
    char* to = malloc(rank == 1 ? bytes : 1);
    for (int i = 0; i < MEBIBYTE; ++i) from[i] = (char)(i * 7);
    const int code = MPI_Alltoallv(from, sent, places, same, to, received, places, apart, MPI_COMM_WORLD);
    if (rank == 1) {
        long wrong = 0;
        for (long i = 0; i < bytes; i += 4093) wrong += to[i] != (char)(i % MEBIBYTE * 7);
        printf("code %d, %ld wrong\n", code, wrong + (to[bytes - 1] != (char)((MEBIBYTE - 1) * 7)));
    }
    MPI_Type_free(&piece);
    MPI_Type_free(&same);
    MPI_Type_free(&apart);
    MPI_Finalize();
    return 0;
}
