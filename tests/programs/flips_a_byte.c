/* In the place of the flow library: takes any algorithm, and damages one byte of what rank 0 receives in an
 * all-to-all of bytes. What checks results must notice. */
#include <dlfcn.h>
#include <stdint.h>

int clearway_flow_force(const char* candidate) { return candidate[0] == '?'; }

int MPI_Alltoall(const void* send, intptr_t count, intptr_t type, unsigned char* receive, intptr_t receive_count,
                 intptr_t receive_type, intptr_t comm) {
    typedef int (*Alltoall)(const void*, intptr_t, intptr_t, void*, intptr_t, intptr_t, intptr_t);
    typedef int (*Rank)(intptr_t, int*);
    int rank = 0;
    const int code =
        ((Alltoall)dlsym(RTLD_NEXT, "PMPI_Alltoall"))(send, count, type, receive, receive_count, receive_type, comm);
    ((Rank)dlsym(RTLD_NEXT, "PMPI_Comm_rank"))(comm, &rank);
    if (rank == 0) receive[(int)count + 1] ^= 1;
    return code;
}
