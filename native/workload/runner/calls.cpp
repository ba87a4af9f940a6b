#include "workload/runner/calls.hpp"

namespace clearway::workload {

namespace {

const char* name_of(ActivityKind kind) {
    switch (kind) {
        case ActivityKind::compute:
            return nullptr;
        case ActivityKind::send:
            return "MPI_Send";
        case ActivityKind::recv:
            return "MPI_Recv";
        case ActivityKind::isend:
            return "MPI_Isend";
        case ActivityKind::irecv:
            return "MPI_Irecv";
        case ActivityKind::waitall:
            return "MPI_Waitall";
        case ActivityKind::wait:
            return "MPI_Wait";
        case ActivityKind::sendrecv:
            return "MPI_Sendrecv";
        case ActivityKind::alltoall:
            return "MPI_Alltoall";
        case ActivityKind::alltoallv:
            return "MPI_Alltoallv";
        case ActivityKind::allgather:
            return "MPI_Allgather";
        case ActivityKind::allgatherv:
            return "MPI_Allgatherv";
        case ActivityKind::allreduce:
            return "MPI_Allreduce";
        case ActivityKind::reduce:
            return "MPI_Reduce";
        case ActivityKind::bcast:
            return "MPI_Bcast";
        case ActivityKind::barrier:
            return "MPI_Barrier";
    }
    return nullptr;
}

}  // namespace

void* function_of(ActivityKind kind) {
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
