// What a replay has no words for: data put into a window, and writing by MPI-IO. `left_out files`: that alone.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { kSteps = 4, kBytes = 5000, kFileBytes = 4000000 };

static void put(int rank, int size, char* data, char* exposed) {
    MPI_Win window;
    MPI_Win_create(exposed, kBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int step = 0; step < kSteps; ++step) {
        MPI_Win_fence(0, window);
        MPI_Put(data, kBytes, MPI_CHAR, (rank + 1) % size, 0, kBytes, MPI_CHAR, window);
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *data = calloc(1, kFileBytes), *exposed = calloc(1, kBytes);
    if (argc < 2 || strcmp(argv[1], "files") != 0) put(rank, size, data, exposed);
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE;
    MPI_File_open(MPI_COMM_WORLD, "left_out.data", mode, MPI_INFO_NULL, &file);
    for (int step = 0; step < kSteps; ++step) {
        MPI_Offset at = (MPI_Offset)(step * size + rank) * kFileBytes;
        MPI_File_write_at_all(file, at, data, kFileBytes, MPI_CHAR, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    free(data);
    free(exposed);
    MPI_Finalize();
    return 0;
}
