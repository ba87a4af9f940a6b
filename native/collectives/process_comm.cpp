#include "collectives/process_comm.hpp"

#include "collectives/own_mpi.hpp"

namespace clearway::collectives {

namespace {

// Not a duplicate, which would call the program's attribute functions.
Arg make() {
    const OwnMpi& mpi = *own_mpi();
    Handle group, made;
    made.set(mpi.null_comm);
    if (mpi.comm_group(comm_self(), group.address()) != kMpiSuccess) return comm_self();
    const int code = mpi.comm_create(comm_self(), group.get(), made.address());
    mpi.group_free(group.address());
    if (code != kMpiSuccess) return comm_self();
    mpi.comm_set_errhandler(made.get(), mpi.errors_return);
    return made.get();
}

}  // namespace

Arg comm_of_this_process() {
    static const Arg ours = make();
    return ours;
}

}  // namespace clearway::collectives
