// Twenty short exchanges; then the last rank dies after a second in which the others wait for its message.
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, size, data = 0, got = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    for (int step = 0; step < 20; ++step)
        MPI_Sendrecv(&data, 1, MPI_INT, next, 1, &got, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == size - 1) {
        sleep(1);
        _exit(3);
    }
    MPI_Recv(&got, 1, MPI_INT, size - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
