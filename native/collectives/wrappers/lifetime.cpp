// Where communicators end: what we keep of them must be forgotten before the MPI gives their handle to another.
#include "collectives/comm_being_freed.hpp"
#include "collectives/earlier_jobs.hpp"
#include "collectives/own_mpi.hpp"
#include "collectives/selector.hpp"
#include "collectives/wrappers/wrapper.hpp"

namespace clearway::collectives {

namespace {

constinit Wrapper<Arg> comm_free("PMPI_Comm_free");
constinit Wrapper<Arg> comm_disconnect("PMPI_Comm_disconnect");
constinit Wrapper<> finalize("PMPI_Finalize");

// The handle still stands where the program's pointer leads. What a handle is, own_mpi finds out.
int end(Wrapper<Arg>& wrapper, Arg comm) {
    if (comm == 0 || own_mpi() == nullptr) return wrapper.own(comm);
    const CommBeingFreed being_freed(handle_at(comm, 0));
    return wrapper.own(comm);
}

int pass_MPI_Comm_free(Arg comm) { return end(comm_free, comm); }

int pass_MPI_Comm_disconnect(Arg comm) { return end(comm_disconnect, comm); }

// Delete functions of MPI_COMM_SELF's attributes come first in there, and may still make collective calls.
int pass_MPI_Finalize() {
    each_group([](const Group& group) {
        if (group.trials != nullptr) remember_all(*group.trials);
    });
    write_memory();
    return finalize.own();
}

}  // namespace

CLEARWAY_BOTH_NAMES(MPI_Comm_free, comm_free, (Arg comm), comm)
CLEARWAY_BOTH_NAMES(MPI_Comm_disconnect, comm_disconnect, (Arg comm), comm)
CLEARWAY_BOTH_NAMES(MPI_Finalize, finalize, ())

}  // namespace clearway::collectives
