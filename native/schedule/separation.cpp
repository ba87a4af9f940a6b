#include "schedule/separation.hpp"

namespace clearway::schedule {

std::string_view name_of(Gate gate) {
    switch (gate) {
        case Gate::none:
            return "none";
        case Gate::token:
            return "token";
        case Gate::barrier:
            return "barrier";
        case Gate::credits:
            return "credits";
    }
    return "";
}

std::string fault_of(const Separation& separation) {
    const bool windowed = separation.gate == Gate::token || separation.gate == Gate::credits;
    if (separation.gate == Gate::credits && separation.window_bytes == 0)
        return "credits of 0 bytes let no message pass";
    if (!windowed && separation.window_bytes != 0)
        return "there is no window for the gate '" + std::string(name_of(separation.gate)) + "'";
    if (windowed && separation.chunk_bytes > separation.window_bytes && separation.window_bytes != 0)
        return "a chunk of " + std::to_string(separation.chunk_bytes) + " bytes does not fit the window of " +
               std::to_string(separation.window_bytes) + " bytes";
    return {};
}

}  // namespace clearway::schedule
