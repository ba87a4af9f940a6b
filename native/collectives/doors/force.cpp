#include "collectives/doors/door.hpp"
#include "collectives/forced.hpp"

// For benchmarks and tests: how all calls go from now on, "" for the selector's choice. To be called on all ranks
// alike, between collective calls. Returns 0, or 1 where the text names no candidate (candidate.hpp).
CLEARWAY_EXPORT int clearway_flow_force(const char* text) { return clearway::force(text) ? 0 : 1; }
