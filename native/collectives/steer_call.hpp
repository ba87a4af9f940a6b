// The way of a collective call, from its wrapper on: whether it can be steered at all, and how it goes.
#pragma once

#include "collectives/call.hpp"
#include "collectives/call_in_progress.hpp"

namespace clearway::collectives {

struct Outcome {
    int code;        // what the program is to get
    bool is_untold;  // an error of which its handler does not know yet
};

// Does the call in the way the selector chooses, or as forced, or with `own`. The first call on a communicator makes
// its group ready, which communicates.
Outcome steer_call(CallInProgress& progress, const Call& call, const OwnCall& own);

// Calls the program's error handler, which may not come back.
void tell_error_handler(Arg comm, int error);

}  // namespace clearway::collectives
