// A rank's connections as a Run has them.
#pragma once

#include <cstdint>
#include <vector>

#include "run_record/layout.hpp"
#include "simulator/record/run_writer.hpp"

namespace clearway::simulator {

struct Sockets {
    std::vector<SocketCell> cells;
    std::vector<StallRecord> stalls;
};

Sockets sockets_of(const FinishedJob& job, std::uint32_t rank);

}  // namespace clearway::simulator
