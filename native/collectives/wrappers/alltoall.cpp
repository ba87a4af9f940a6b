#include "collectives/wrappers/wrapper.hpp"

namespace clearway::collectives {

namespace {

using schedule::Operation;

using VectorsWrapper = Wrapper<Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg>;

constinit BlocksWrapper alltoall("PMPI_Alltoall");
constinit BlocksWrapper alltoall_c("PMPI_Alltoall_c");
constinit VectorsWrapper alltoallv("PMPI_Alltoallv");
constinit VectorsWrapper alltoallv_c("PMPI_Alltoallv_c");
constinit VectorsWrapper alltoallw("PMPI_Alltoallw");
constinit VectorsWrapper alltoallw_c("PMPI_Alltoallw_c");

[[gnu::noinline]] int pass_blocks(BlocksWrapper& wrapper, bool large, Arg sendbuf, Arg sendcount, Arg sendtype,
                                  Arg recvbuf, Arg recvcount, Arg recvtype, Arg comm) {
    const auto side = [large](Arg buffer, Arg count, Arg type) {
        return Side{.division = Division::equal, .large = large, .buffer = buffer, .counts = count, .types = type};
    };
    const auto describe = [&] {
        return Call{Operation::alltoall, side(sendbuf, sendcount, sendtype), side(recvbuf, recvcount, recvtype), comm};
    };
    return pass(wrapper, comm, describe, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

[[gnu::noinline]] int pass_vectors(VectorsWrapper& wrapper, Operation operation, bool large, Arg sendbuf,
                                   Arg sendcounts, Arg sdispls, Arg sendtypes, Arg recvbuf, Arg recvcounts, Arg rdispls,
                                   Arg recvtypes, Arg comm) {
    const Division division = operation == Operation::alltoallw ? Division::typed : Division::counted;
    const auto describe = [&] {
        return Call{operation, Side{division, large, sendbuf, sendcounts, sdispls, sendtypes},
                    Side{division, large, recvbuf, recvcounts, rdispls, recvtypes}, comm};
    };
    return pass(wrapper, comm, describe, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                recvtypes, comm);
}

}  // namespace

#define CLEARWAY_VECTORS_WRAPPER(name, wrapper, operation, large)                                                     \
    static int pass_##name(Arg sendbuf, Arg sendcounts, Arg sdispls, Arg sendtype, Arg recvbuf, Arg recvcounts,       \
                           Arg rdispls, Arg recvtype, Arg comm) {                                                     \
        if (is_left_to_mpi(comm)) [[likely]]                                                                          \
            return wrapper.own(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm); \
        return pass_vectors(wrapper, operation, large, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,   \
                            rdispls, recvtype, comm);                                                                 \
    }                                                                                                                 \
    CLEARWAY_BOTH_NAMES(name, wrapper,                                                                                \
                        (Arg sendbuf, Arg sendcounts, Arg sdispls, Arg sendtype, Arg recvbuf, Arg recvcounts,         \
                         Arg rdispls, Arg recvtype, Arg comm),                                                        \
                        sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm)

CLEARWAY_BLOCKS_WRAPPER(MPI_Alltoall, alltoall, false)
CLEARWAY_BLOCKS_WRAPPER(MPI_Alltoall_c, alltoall_c, true)
CLEARWAY_VECTORS_WRAPPER(MPI_Alltoallv, alltoallv, Operation::alltoallv, false)
CLEARWAY_VECTORS_WRAPPER(MPI_Alltoallv_c, alltoallv_c, Operation::alltoallv, true)
CLEARWAY_VECTORS_WRAPPER(MPI_Alltoallw, alltoallw, Operation::alltoallw, false)
CLEARWAY_VECTORS_WRAPPER(MPI_Alltoallw_c, alltoallw_c, Operation::alltoallw, true)

}  // namespace clearway::collectives
