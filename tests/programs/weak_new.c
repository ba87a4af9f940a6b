// Looks for functions of MPI 4 as mpi4py does: by weak references, with others, or a code of its own, for those that
// are not there.
#include <mpi.h>
#include <stdio.h>

#define WEAK __attribute__((weak))
WEAK int MPI_Isendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm,
                       MPI_Request*);
WEAK int MPI_Comm_idup_with_info(MPI_Comm, MPI_Info, MPI_Comm*, MPI_Request*);

enum { kUnavailable = -0x55555556 };  // 0xaaaaaaaa, mpi4py's PyMPI_ERR_UNAVAILABLE

static void show(const char* name, int result, MPI_Request* request) {
    if (result == MPI_SUCCESS) MPI_Wait(request, MPI_STATUS_IGNORE);
    printf("%s: %s\n", name, result == kUnavailable ? "absent" : result == MPI_SUCCESS ? "present" : "an error");
}

int main(int argc, char** argv) {
    int out = 1, in = 0;
    MPI_Comm twin;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    show("MPI_Isendrecv",
         MPI_Isendrecv ? MPI_Isendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request)
                       : kUnavailable,
         &request);
    show("MPI_Comm_idup_with_info",
         MPI_Comm_idup_with_info ? MPI_Comm_idup_with_info(MPI_COMM_SELF, MPI_INFO_NULL, &twin, &request)
                                 : MPI_Comm_idup(MPI_COMM_SELF, &twin, &request),
         &request);
    MPI_Finalize();
    return 0;
}
