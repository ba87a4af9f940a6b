// A library that wraps calls and hands each on to whoever comes next by the same name, as those do that know nothing of
// PMPI.
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

static int handed_on;

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    static int (*next)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm) = NULL;
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "MPI_Allreduce");
    ++handed_on;
    return next(send, receive, count, type, op, comm);
}
