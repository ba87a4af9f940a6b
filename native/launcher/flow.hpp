// `--flow`: the library that steers collectives goes into the program, too.
#pragma once

#include "launcher/options.hpp"

namespace clearway::launcher {

// Also where the environment says CLEARWAY_FLOW=on.
bool wants_flow(const Options& options);

// What CLEARWAY_FLOW_SOCKETS says, where it cannot be understood; else null. The connections then stay as they are.
const char* wrong_socket_options();

// Before the recorder is preloaded, which then comes in front. Returns null, or why the program runs without it.
const char* set_up_flow(const Options& options);

}  // namespace clearway::launcher
