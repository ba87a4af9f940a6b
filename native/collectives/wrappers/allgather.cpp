#include "collectives/wrappers/wrapper.hpp"

namespace clearway::collectives {

namespace {

using schedule::Operation;

using VectorsWrapper = Wrapper<Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg>;

constinit BlocksWrapper allgather("PMPI_Allgather");
constinit BlocksWrapper allgather_c("PMPI_Allgather_c");
constinit VectorsWrapper allgatherv("PMPI_Allgatherv");
constinit VectorsWrapper allgatherv_c("PMPI_Allgatherv_c");

Side contribution(bool large, Arg buffer, Arg count, Arg type) {
    return {.division = Division::one_block, .large = large, .buffer = buffer, .counts = count, .types = type};
}

[[gnu::noinline]] int pass_blocks(BlocksWrapper& wrapper, bool large, Arg sendbuf, Arg sendcount, Arg sendtype,
                                  Arg recvbuf, Arg recvcount, Arg recvtype, Arg comm) {
    const auto describe = [&] {
        return Call{Operation::allgather, contribution(large, sendbuf, sendcount, sendtype),
                    Side{Division::equal, large, recvbuf, recvcount, 0, recvtype}, comm};
    };
    return pass(wrapper, comm, describe, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

[[gnu::noinline]] int pass_vectors(VectorsWrapper& wrapper, bool large, Arg sendbuf, Arg sendcount, Arg sendtype,
                                   Arg recvbuf, Arg recvcounts, Arg displs, Arg recvtype, Arg comm) {
    const auto describe = [&] {
        return Call{Operation::allgatherv, contribution(large, sendbuf, sendcount, sendtype),
                    Side{Division::counted, large, recvbuf, recvcounts, displs, recvtype}, comm};
    };
    return pass(wrapper, comm, describe, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

}  // namespace

#define CLEARWAY_VECTORS_WRAPPER(name, wrapper, large)                                                               \
    static int pass_##name(Arg sendbuf, Arg sendcount, Arg sendtype, Arg recvbuf, Arg recvcounts, Arg displs,        \
                           Arg recvtype, Arg comm) {                                                                 \
        if (is_left_to_mpi(comm)) [[likely]]                                                                         \
            return wrapper.own(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);           \
        return pass_vectors(wrapper, large, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,     \
                            comm);                                                                                   \
    }                                                                                                                \
    CLEARWAY_BOTH_NAMES(                                                                                             \
        name, wrapper,                                                                                               \
        (Arg sendbuf, Arg sendcount, Arg sendtype, Arg recvbuf, Arg recvcounts, Arg displs, Arg recvtype, Arg comm), \
        sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm)

CLEARWAY_BLOCKS_WRAPPER(MPI_Allgather, allgather, false)
CLEARWAY_BLOCKS_WRAPPER(MPI_Allgather_c, allgather_c, true)
CLEARWAY_VECTORS_WRAPPER(MPI_Allgatherv, allgatherv, false)
CLEARWAY_VECTORS_WRAPPER(MPI_Allgatherv_c, allgatherv_c, true)

}  // namespace clearway::collectives
