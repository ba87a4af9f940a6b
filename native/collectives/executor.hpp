// Runs one rank's Program on the job's own MPI: messages between ranks of `comm`, in chunks, each phase held back by
// the separation's gate. It communicates only on `comm`, which is ours.
#pragma once

#include "collectives/exchange.hpp"
#include "collectives/own_mpi.hpp"
#include "collectives/step_order.hpp"
#include "schedule/schedule.hpp"

namespace clearway {

// A Program made ready to be run again and again; one thread at a time.
struct Runnable {
    schedule::Program program;
    StepOrder order;
    std::uint32_t phases = 1;
    schedule::Separation separation;
};

Runnable make_runnable(schedule::Program program, std::uint32_t phases, const schedule::Separation& separation);

// Returns MPI_SUCCESS or the code of the call that failed; then messages of this call may still be under way.
int execute(const OwnMpi& mpi, Arg comm, const Runnable& runnable, const Exchange& exchange);

}  // namespace clearway
