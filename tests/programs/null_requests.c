// What a program gets from the MPI that hands it no request at all: an error, where its errors are returned.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int flag = 0, at = 0;
    const int errors[] = {
        MPI_Wait(NULL, MPI_STATUS_IGNORE),
        MPI_Test(NULL, &flag, MPI_STATUS_IGNORE),
        MPI_Start(NULL),
        MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE),
        MPI_Waitany(2, NULL, &at, MPI_STATUS_IGNORE),
        MPI_Cancel(NULL),
        MPI_Request_free(NULL),
    };
    for (unsigned i = 0; i < sizeof errors / sizeof *errors; ++i) printf("%u %d\n", i, errors[i] != MPI_SUCCESS);
    MPI_Finalize();
    return 0;
}
