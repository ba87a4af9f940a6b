// How fast the ticks run, learnt from the record's own Instants. In integers, for this runs in the program's threads:
// an inexact result would raise an exception of floating-point arithmetic there, which the program may look for or
// trap.
#pragma once

#include <cstdint>

#include "base/share.hpp"

namespace clearway::recorder {

// As many ticks in as many nanoseconds, good to about 1e-4 soon after the start and better with every heartbeat.
struct TickRate {
    std::uint64_t ticks, ns;
};
TickRate tick_rate();

inline std::uint64_t to_ticks(std::uint64_t ns) {
    const TickRate rate = tick_rate();
    return share(ns, rate.ticks, rate.ns);
}
inline std::uint64_t to_ns(std::uint64_t ticks) {
    const TickRate rate = tick_rate();
    return share(ticks, rate.ns, rate.ticks);
}

}  // namespace clearway::recorder
