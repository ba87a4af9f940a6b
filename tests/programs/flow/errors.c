// Faulty collective calls whose error the program asks MPI to return, or to give to a handler of its own: it must get
// the same with and without Clearway.
#include <mpi.h>
#include <stdio.h>

enum { MOST_RANKS = 16 };

static int rank, handled;
static int out[MOST_RANKS * 4], in[MOST_RANKS * 4], counts[MOST_RANKS], places[MOST_RANKS];

static void show(const char* what, int code) {
    int class = 0;
    MPI_Error_class(code, &class);
    printf("rank %d %s: class %d\n", rank, what, class);
}

static void handle(MPI_Comm* comm, int* code, ...) {
    (void)comm;
    (void)code;
    ++handled;
}

static void make_faults(MPI_Comm comm, const char* where) {
    printf("rank %d on %s\n", rank, where);
    show("negative count", MPI_Alltoall(out, -1, MPI_INT, in, -1, MPI_INT, comm));
    show("null datatype", MPI_Alltoall(out, 1, MPI_DATATYPE_NULL, in, 1, MPI_DATATYPE_NULL, comm));
    show("negative count of an allgather", MPI_Allgather(out, -1, MPI_INT, in, -1, MPI_INT, comm));
    for (int i = 0; i < MOST_RANKS; ++i) counts[i] = -2;
    show("negative counts", MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm));
    MPI_Datatype uncommitted;
    MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
    show("uncommitted datatype", MPI_Alltoall(out, 1, uncommitted, in, 1, uncommitted, comm));
    show("uncommitted datatype to receive", MPI_Alltoall(out, 2, MPI_INT, in, 1, uncommitted, comm));
    MPI_Type_free(&uncommitted);
    show("no fault", MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 4; ++i) MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    make_faults(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    show("null communicator", MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_NULL));

    MPI_Comm comm;
    MPI_Errhandler handler;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    if (rank == 0) show("alone at first", MPI_Alltoall(out, -1, MPI_INT, in, -1, MPI_INT, comm));
    for (int i = 0; i < 4; ++i) MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
    make_faults(comm, "a duplicate");
    printf("rank %d: its handler was called %d times\n", rank, handled);
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return 0;
}
