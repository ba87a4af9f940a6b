// Wake-up calls. They are never taken back: whoever is called looks whether there is still something to do.
#pragma once

#include <compare>
#include <cstdint>

#include "simulator/events/min_heap.hpp"
#include "simulator/events/time.hpp"

namespace clearway::simulator {

enum class Waking : std::uint8_t { connection, rank, looker, memory, poller };

// There may be one for each end of each connection: eight bytes and four.
struct [[gnu::packed, gnu::aligned(4)]] Timer {
    Timer(Picoseconds at, Waking waking, std::uint32_t subject)
        : time(at), call(static_cast<std::uint32_t>(waking) << kSubjectBits | subject) {}

    Picoseconds time;
    std::uint32_t call;  // who is woken how

    Waking waking() const { return static_cast<Waking>(call >> kSubjectBits); }
    std::uint32_t subject() const { return call & ((1U << kSubjectBits) - 1); }
    auto operator<=>(const Timer&) const = default;

private:
    static constexpr unsigned kSubjectBits = 29;
};
static_assert(sizeof(Timer) == 12);

using Timers = MinHeap<Timer>;

}  // namespace clearway::simulator
