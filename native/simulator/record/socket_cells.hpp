// A rank's connections as a Run has them.
#pragma once

#include <cstdint>
#include <vector>

#include "run_record/layout.hpp"
#include "simulator/record/run_writer.hpp"

namespace clearway::simulator {

// As Linux names it.
constexpr const char* name_of(Congestion congestion) {
    switch (congestion) {
        case Congestion::reno:
            return "reno";
        case Congestion::dctcp:
            return "dctcp";
        default:
            return "cubic";
    }
}

struct Sockets {
    std::vector<SocketCell> cells;
    std::vector<StallRecord> stalls;
};

Sockets sockets_of(const FinishedJob& job, std::uint32_t rank);

}  // namespace clearway::simulator
