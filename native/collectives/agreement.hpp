// What all ranks of a communicator agree upon inside one of its collective calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/own_mpi.hpp"

namespace clearway::collectives {

// Replaces each value by the largest of all ranks. False where that fails.
template <std::size_t Count>
bool agree_on_largest(Arg comm, std::uint64_t (&values)[Count]) {
    const OwnMpi* mpi = own_mpi();
    return mpi != nullptr &&
           mpi->allreduce(abi.in_place, to_arg(values), Count, mpi->uint64, mpi->max, comm) == kMpiSuccess;
}

}  // namespace clearway::collectives
