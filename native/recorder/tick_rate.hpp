// How fast the ticks run, learnt from the record's own Instants.
#pragma once

#include <cstdint>

namespace clearway::recorder {

// Ticks per nanosecond, good to about 1e-4 soon after the start and better with every heartbeat.
double ticks_per_ns();
inline std::uint64_t to_ticks(std::uint64_t ns) {
    return static_cast<std::uint64_t>(static_cast<double>(ns) * ticks_per_ns());
}
inline std::uint64_t to_ns(std::uint64_t ticks) {
    return static_cast<std::uint64_t>(static_cast<double>(ticks) / ticks_per_ns());
}

}  // namespace clearway::recorder
