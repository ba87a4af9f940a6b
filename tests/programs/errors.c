// Faults that the program asks MPI to return: it must get the same code with and without a recorder.
#include <mpi.h>
#include <stdio.h>

static int rank;

static void show(const char* what, int code) {
    int class = 0;
    MPI_Error_class(code, &class);
    printf("rank %d %s: class %d\n", rank, what, class);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int numbers[10] = {0};
    show("rank out of range", MPI_Send(numbers, 1, MPI_INT, 999, 0, MPI_COMM_WORLD));
    show("negative count", MPI_Send(numbers, -3, MPI_INT, 0, 0, MPI_COMM_WORLD));
    show("negative tag", MPI_Send(numbers, 1, MPI_INT, 0, -77, MPI_COMM_WORLD));
    show("null datatype", MPI_Send(numbers, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
    show("root out of range", MPI_Bcast(numbers, 1, MPI_INT, 999, MPI_COMM_WORLD));
    show("null operation", MPI_Allreduce(MPI_IN_PLACE, numbers, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
    MPI_Request request;
    MPI_Isend(numbers, 10, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
    show("truncated", MPI_Recv(numbers, 5, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    show("wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Comm null = MPI_COMM_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    show("null communicator", MPI_Barrier(null));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
