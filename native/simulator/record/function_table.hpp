// The MPI functions that a Script's activities stand for, as a Run names them.
#pragma once

#include <cstdint>

#include "run_record/layout.hpp"
#include "workload/script.hpp"

namespace clearway::simulator {

// Of kind k, for all kinds but compute.
constexpr std::uint16_t function_id(workload::ActivityKind kind) { return static_cast<std::uint16_t>(kind); }

inline constexpr std::uint16_t kInitId = 100;
inline constexpr std::uint16_t kFinalizeId = 101;

inline constexpr FunctionName kFunctionTable[] = {
    {function_id(workload::ActivityKind::send), FunctionClass::send, "MPI_Send"},
    {function_id(workload::ActivityKind::recv), FunctionClass::receive, "MPI_Recv"},
    {function_id(workload::ActivityKind::isend), FunctionClass::start, "MPI_Isend"},
    {function_id(workload::ActivityKind::irecv), FunctionClass::start, "MPI_Irecv"},
    {function_id(workload::ActivityKind::waitall), FunctionClass::wait, "MPI_Waitall"},
    {function_id(workload::ActivityKind::wait), FunctionClass::wait, "MPI_Wait"},
    {function_id(workload::ActivityKind::sendrecv), FunctionClass::send_receive, "MPI_Sendrecv"},
    {function_id(workload::ActivityKind::alltoall), FunctionClass::collective, "MPI_Alltoall"},
    {function_id(workload::ActivityKind::alltoallv), FunctionClass::collective, "MPI_Alltoallv"},
    {function_id(workload::ActivityKind::allgather), FunctionClass::collective, "MPI_Allgather"},
    {function_id(workload::ActivityKind::allgatherv), FunctionClass::collective, "MPI_Allgatherv"},
    {function_id(workload::ActivityKind::allreduce), FunctionClass::collective, "MPI_Allreduce"},
    {function_id(workload::ActivityKind::reduce), FunctionClass::collective, "MPI_Reduce"},
    {function_id(workload::ActivityKind::bcast), FunctionClass::collective, "MPI_Bcast"},
    {function_id(workload::ActivityKind::barrier), FunctionClass::collective, "MPI_Barrier"},
    {kInitId, FunctionClass::life, "MPI_Init"},
    {kFinalizeId, FunctionClass::life, "MPI_Finalize"},
};

}  // namespace clearway::simulator
