#include "collectives/forced.hpp"
#include "collectives/reserve.hpp"
#include "collectives/wrappers/wrapper.hpp"

// For benchmarks and tests: how all calls go from now on, "" for the selector's choice. To be called on all ranks
// alike, between collective calls. Returns 0, or 1 where the text names no candidate (candidate.hpp).
CLEARWAY_EXPORT int clearway_flow_force(const char* text) {
    bool is_known = false;
    clearway::collectives::with_reserve([&] { is_known = clearway::collectives::force(text); });
    return is_known ? 0 : 1;
}
