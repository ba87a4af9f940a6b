// An error handler throws, and the program catches that behind the collective call; then all ranks exchange again.
#include <mpi.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

static void refuse(MPI_Comm*, int*, ...) { throw std::runtime_error("refused"); }

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(refuse, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    std::vector<int> mine(20000, rank), theirs(20000);
    const int each = 20000 / ranks;
    for (int round = 0; round < 3; ++round) {
        try {
            MPI_Alltoall(mine.data(), -1, MPI_INT, theirs.data(), each, MPI_INT, MPI_COMM_WORLD);
            std::printf("rank %d: not refused\n", rank);
        } catch (const std::exception& error) {
            std::printf("rank %d: %s\n", rank, error.what());
        }
        MPI_Alltoall(mine.data(), each, MPI_INT, theirs.data(), each, MPI_INT, MPI_COMM_WORLD);
        long sum = 0;
        for (const int one : theirs) sum += one;
        std::printf("rank %d: %ld\n", rank, sum);
    }
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return 0;
}
