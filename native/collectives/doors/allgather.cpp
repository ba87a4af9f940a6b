#include "collectives/doors/door.hpp"

namespace clearway::collectives {

namespace {

using schedule::Operation;

using BlocksDoor = Door<Arg, Arg, Arg, Arg, Arg, Arg, Arg>;
using VectorsDoor = Door<Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg>;

constinit BlocksDoor allgather("PMPI_Allgather");
constinit BlocksDoor allgather_c("PMPI_Allgather_c");
constinit VectorsDoor allgatherv("PMPI_Allgatherv");
constinit VectorsDoor allgatherv_c("PMPI_Allgatherv_c");

Side contribution(bool large, Arg buffer, Arg count, Arg type) {
    return {.division = Division::one_block, .large = large, .buffer = buffer, .counts = count, .types = type};
}

[[gnu::noinline]] int pass_blocks(BlocksDoor& door, bool large, Arg sendbuf, Arg sendcount, Arg sendtype, Arg recvbuf,
                                  Arg recvcount, Arg recvtype, Arg comm) {
    const auto describe = [&] {
        return Call{Operation::allgather, contribution(large, sendbuf, sendcount, sendtype),
                    Side{Division::equal, large, recvbuf, recvcount, 0, recvtype}, comm};
    };
    return pass(door, comm, describe, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

[[gnu::noinline]] int pass_vectors(VectorsDoor& door, bool large, Arg sendbuf, Arg sendcount, Arg sendtype, Arg recvbuf,
                                   Arg recvcounts, Arg displs, Arg recvtype, Arg comm) {
    const auto describe = [&] {
        return Call{Operation::allgatherv, contribution(large, sendbuf, sendcount, sendtype),
                    Side{Division::counted, large, recvbuf, recvcounts, displs, recvtype}, comm};
    };
    return pass(door, comm, describe, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

}  // namespace

#define CLEARWAY_BLOCKS_DOOR(name, door, large)                                                                     \
    static int pass_##name(Arg sendbuf, Arg sendcount, Arg sendtype, Arg recvbuf, Arg recvcount, Arg recvtype,      \
                           Arg comm) {                                                                              \
        if (is_known_as_handed(comm)) [[likely]]                                                                    \
            return door.own(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);                      \
        return pass_blocks(door, large, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);          \
    }                                                                                                               \
    CLEARWAY_BOTH_NAMES(                                                                                            \
        name, door, (Arg sendbuf, Arg sendcount, Arg sendtype, Arg recvbuf, Arg recvcount, Arg recvtype, Arg comm), \
        sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)

#define CLEARWAY_VECTORS_DOOR(name, door, large)                                                                     \
    static int pass_##name(Arg sendbuf, Arg sendcount, Arg sendtype, Arg recvbuf, Arg recvcounts, Arg displs,        \
                           Arg recvtype, Arg comm) {                                                                 \
        if (is_known_as_handed(comm)) [[likely]]                                                                     \
            return door.own(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);              \
        return pass_vectors(door, large, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm); \
    }                                                                                                                \
    CLEARWAY_BOTH_NAMES(                                                                                             \
        name, door,                                                                                                  \
        (Arg sendbuf, Arg sendcount, Arg sendtype, Arg recvbuf, Arg recvcounts, Arg displs, Arg recvtype, Arg comm), \
        sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm)

CLEARWAY_BLOCKS_DOOR(MPI_Allgather, allgather, false)
CLEARWAY_BLOCKS_DOOR(MPI_Allgather_c, allgather_c, true)
CLEARWAY_VECTORS_DOOR(MPI_Allgatherv, allgatherv, false)
CLEARWAY_VECTORS_DOOR(MPI_Allgatherv_c, allgatherv_c, true)

}  // namespace clearway::collectives
