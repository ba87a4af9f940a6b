// A segment that was sent and is not acknowledged.
#pragma once

#include <cstdint>

#include "simulator/events/time.hpp"

namespace clearway::simulator {

struct Segment {
    Picoseconds sent_at = 0;  // the last time
    std::uint32_t end = 0;
    std::uint16_t length = 0;
    bool is_sacked : 1 = false;
    bool is_lost : 1 = false;
    bool is_sent_again : 1 = false;   // since it was lost
    bool was_sent_again : 1 = false;  // ever: which of them is acknowledged? (Karn and Partridge 1987)

    std::uint32_t begin() const { return end - length; }
};
static_assert(sizeof(Segment) == 16);

}  // namespace clearway::simulator
