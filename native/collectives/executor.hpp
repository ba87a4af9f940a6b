// Runs one rank's Program on the job's own MPI: the engine (schedule/engine/step_engine.hpp) with messages between
// ranks.
#pragma once

#include <memory>

#include "collectives/buffers/kept_memory.hpp"
#include "collectives/channel.hpp"
#include "collectives/exchange.hpp"
#include "collectives/own_mpi.hpp"
#include "schedule/engine/runnable.hpp"

namespace clearway::collectives {

// Memory for what a call keeps besides the program's buffers; kept between calls.
struct Workspace {
    KeptMemory scratch;  // the Program's scratch slots
    KeptMemory staging;  // messages whose slots do not follow one another

    void keep_for_good();
    void give_back_large();
};

// One call. What it needs it has from the beginning on: nothing is allocated while it runs.
class Execution {
public:
    // Throws std::bad_alloc. `comm` is the program's.
    Execution(const OwnMpi& mpi, Channel& channel, Arg comm, const schedule::Runnable& runnable,
              const Exchange& exchange, Workspace& workspace);
    ~Execution();
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    // Returns MPI_SUCCESS or the code of the MPI call that failed; then messages may still be under way.
    int run();

private:
    class Transport;
    std::unique_ptr<Transport> transport_;
};

}  // namespace clearway::collectives
