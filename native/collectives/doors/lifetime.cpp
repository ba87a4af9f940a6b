// Where communicators end: ours must end before the program's.
#include "collectives/doors/door.hpp"
#include "collectives/own_mpi.hpp"

namespace clearway {

namespace {

constinit Door<Arg> comm_free("PMPI_Comm_free");
constinit Door<Arg> comm_disconnect("PMPI_Comm_disconnect");
constinit Door<> finalize("PMPI_Finalize");

// The handle still stands where the program's pointer leads. What a handle is, own_mpi finds out.
void forget_group_at(Arg comm) {
    if (comm != 0 && own_mpi() != nullptr) forget_group(handle_at(comm, 0));
}

}  // namespace

CLEARWAY_EXPORT int MPI_Comm_free(Arg comm) {
    forget_group_at(comm);
    return comm_free.own(comm);
}
CLEARWAY_EXPORT int PMPI_Comm_free(Arg) __attribute__((alias("MPI_Comm_free")));

CLEARWAY_EXPORT int MPI_Comm_disconnect(Arg comm) {
    forget_group_at(comm);
    return comm_disconnect.own(comm);
}
CLEARWAY_EXPORT int PMPI_Comm_disconnect(Arg) __attribute__((alias("MPI_Comm_disconnect")));

CLEARWAY_EXPORT int MPI_Finalize() {
    forget_all_groups(nullptr);
    return finalize.own();
}
CLEARWAY_EXPORT int PMPI_Finalize() __attribute__((alias("MPI_Finalize")));

}  // namespace clearway
