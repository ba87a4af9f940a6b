// Where communicators end: ours must end before the program's.
#include "collectives/doors/door.hpp"
#include "collectives/earlier_jobs.hpp"
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

int pass_MPI_Comm_free(Arg comm) {
    forget_group_at(comm);
    return comm_free.own(comm);
}

int pass_MPI_Comm_disconnect(Arg comm) {
    forget_group_at(comm);
    return comm_disconnect.own(comm);
}

int pass_MPI_Finalize() {
    forget_all_groups(nullptr);
    write_memory();
    return finalize.own();
}

}  // namespace

CLEARWAY_BOTH_NAMES(MPI_Comm_free, comm_free, (Arg comm), comm)
CLEARWAY_BOTH_NAMES(MPI_Comm_disconnect, comm_disconnect, (Arg comm), comm)
CLEARWAY_BOTH_NAMES(MPI_Finalize, finalize, ())

}  // namespace clearway
