// A program that allocates and frees the same large arrays in each step, as many do: the C library returns them to the
// kernel, which clears the pages anew when they are touched again.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 100, arrays = 8;
    const size_t numbers = argc > 2 ? strtoul(argv[2], NULL, 10) : 1 << 20;
    int rank, ranks;
    double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const double begin = MPI_Wtime();
    for (int step = 0; step < steps; ++step) {
        for (int each = 0; each < arrays; ++each) {
            double* array = malloc(numbers * sizeof *array);
            if (array == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
            for (size_t i = 0; i < numbers; ++i) array[i] = (double)(i + (size_t)step);
            for (size_t i = 0; i < numbers; i += 7) sum += array[i];
            free(array);
        }
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d steps on %d ranks: %.4f ms a step (%g)\n", steps, ranks, (MPI_Wtime() - begin) * 1e3 / steps, sum);
    MPI_Finalize();
    return 0;
}
