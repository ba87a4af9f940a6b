// Point to point as in domain decomposition: every step each rank exchanges faces with six neighbours at once, then
// all send a little to rank 0. Prints its time and a checksum.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kSteps = 40, kFace = 8192, kGathered = 2048, kNeighbours = 6 };  // doubles

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    static double out[kFace], in[kNeighbours][kFace];
    double* gathered = malloc(sizeof(double) * kGathered * ranks);
    double sum = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int step = 0; step < kSteps; ++step) {
        for (int i = 0; i < kFace; ++i) out[i] = rank + 1e-3 * step + 1e-6 * i;
        MPI_Request requests[2 * kNeighbours];
        int count = 0;
        for (int n = 0; n < kNeighbours; ++n) {
            const int distance = n / 2 + 1, sign = n % 2 ? 1 : -1;
            const int to = (rank + sign * distance + ranks * distance) % ranks;
            const int from = (rank - sign * distance + ranks * distance) % ranks;
            MPI_Irecv(in[n], kFace, MPI_DOUBLE, from, n, MPI_COMM_WORLD, &requests[count++]);
            MPI_Isend(out, kFace, MPI_DOUBLE, to, n, MPI_COMM_WORLD, &requests[count++]);
        }
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        for (int n = 0; n < kNeighbours; ++n) sum += in[n][step % kFace];
        MPI_Gather(out, kGathered, MPI_DOUBLE, gathered, kGathered, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (rank == 0) sum += gathered[kGathered * (ranks - 1) + step];
    }
    double total;
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("time %.3f\nchecksum %.9f\n", MPI_Wtime() - begin, total);
    free(gathered);
    MPI_Finalize();
}
