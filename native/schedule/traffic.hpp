// What a Schedule puts on the network, phase by phase.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace clearway::schedule {

struct Traffic {
    std::uint64_t messages = 0;           // of all ranks
    std::uint64_t crossing_messages = 0;  // those between hosts
    std::uint64_t crossing_bytes = 0;
    // Of the busiest port, in its busier direction.
    std::uint64_t port_messages = 0;
    std::uint64_t port_bytes = 0;
};

// One element a phase, counted where messages are sent and where they are received. The Schedule must be without
// violation.
std::vector<Traffic> traffic_by_phase(const Schedule& schedule);

// All phases together: the busiest port is that of the whole operation.
Traffic traffic_of(const Schedule& schedule);

}  // namespace clearway::schedule
