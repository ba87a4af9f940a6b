// Stands between Clearway's library and the MPI, and counts the messages that the former sends: no MPI sends those of
// its own collectives through this name.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

long witness_messages;

int PMPI_Isend(intptr_t buffer, intptr_t count, intptr_t type, intptr_t peer, intptr_t tag, intptr_t comm,
               intptr_t request) {
    typedef int (*Send)(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);
    static Send send;
    if (send == 0) send = (Send)dlsym(RTLD_NEXT, "PMPI_Isend");
    __atomic_fetch_add(&witness_messages, 1, __ATOMIC_RELAXED);
    return send(buffer, count, type, peer, tag, comm, request);
}
