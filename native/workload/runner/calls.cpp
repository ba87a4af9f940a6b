#include "workload/runner/calls.hpp"

namespace clearway::workload {

namespace {

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::compute:
            return nullptr;
        case Kind::send:
            return "MPI_Send";
        case Kind::recv:
            return "MPI_Recv";
        case Kind::isend:
            return "MPI_Isend";
        case Kind::irecv:
            return "MPI_Irecv";
        case Kind::waitall:
            return "MPI_Waitall";
        case Kind::sendrecv:
            return "MPI_Sendrecv";
        case Kind::alltoall:
            return "MPI_Alltoall";
        case Kind::alltoallv:
            return "MPI_Alltoallv";
        case Kind::allgather:
            return "MPI_Allgather";
        case Kind::allgatherv:
            return "MPI_Allgatherv";
        case Kind::allreduce:
            return "MPI_Allreduce";
        case Kind::reduce:
            return "MPI_Reduce";
        case Kind::bcast:
            return "MPI_Bcast";
        case Kind::barrier:
            return "MPI_Barrier";
    }
    return nullptr;
}

}  // namespace

void* function_of(Kind kind) {
    const char* name = name_of(kind);
    return name == nullptr ? nullptr : entry_point(name);
}

Arg make_communicator(const Communicator& communicator, int rank) {
    Arg made = 0;
    const Arg colour = rank_in(communicator, rank) >= 0 ? 1 : 0;
    invoke(entry_point("MPI_Comm_split"), comm_world(), colour, static_cast<Arg>(rank), &made);
    return as_handle(made);
}

}  // namespace clearway::workload
