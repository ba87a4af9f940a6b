// Wake-up calls. They are never taken back: whoever is called looks whether there is still something to do.
#pragma once

#include <compare>
#include <cstdint>

#include "simulator/events/min_heap.hpp"
#include "simulator/events/time.hpp"

namespace clearway::simulator {

enum class Waking : std::uint8_t { connection, rank, looker, memory };

struct Timer {
    Picoseconds time;
    Waking waking;
    std::uint32_t subject;
    auto operator<=>(const Timer&) const = default;
};

using Timers = MinHeap<Timer>;

}  // namespace clearway::simulator
