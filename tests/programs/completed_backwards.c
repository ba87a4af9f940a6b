// Three receives of one tag, posted in order, of which the second ends first by what the program waits for.
#include <mpi.h>

enum { kMessages = 3 };

int main(int argc, char** argv) {
    static const int sizes[kMessages] = {704, 49152, 96}, order[kMessages] = {1, 0, 2};
    static char data[kMessages][49152];
    MPI_Request requests[kMessages];
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < kMessages; ++i) {
        if (rank == 0) MPI_Send(data[i], sizes[i], MPI_CHAR, 1, 5, MPI_COMM_WORLD);
        if (rank == 1) MPI_Irecv(data[i], sizes[i], MPI_CHAR, 0, 5, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; rank == 1 && i < kMessages; ++i) MPI_Wait(&requests[order[i]], MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
