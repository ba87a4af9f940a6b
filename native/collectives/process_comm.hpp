// A communicator of this process alone, for what needs one and concerns no other process: packing, and questions.
#pragma once

#include "mpi/abi.hpp"

namespace clearway::collectives {

// It returns errors. MPI_COMM_SELF itself, which may not, where the MPI has no more communicators.
Arg comm_of_this_process();

}  // namespace clearway::collectives
