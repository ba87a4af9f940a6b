// A trace through a policy, without any bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "io_cache/replay/trace.hpp"

namespace clearway::io_cache {

struct Outcome {
    std::uint64_t fetched = 0;  // records read from files
    std::uint64_t written = 0;  // and written to them
};

// The page cache and the optimum are policies here, too. False: there is no such policy.
bool replay(const Trace& trace, std::string_view policy, std::uint32_t frames, std::uint32_t record_bytes,
            Outcome& outcome);

}  // namespace clearway::io_cache
