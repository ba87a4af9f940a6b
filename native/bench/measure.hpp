// Timing: each call begins behind a barrier and lasts until its slowest rank has returned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/candidate.hpp"
#include "bench/hosts.hpp"
#include "bench/options.hpp"

namespace clearway::bench {

struct Point {
    std::string candidate;
    std::uint64_t block_bytes = 0;
    std::vector<std::uint64_t> calls_ns;
    TcpCounters tcp;    // during the timed calls; of interleaved candidates, of all of them
    std::string fault;  // why it could not be measured
};

struct Stage {
    const Options& options;
    const World& world;
    const Hosts& hosts;
};

// One point for each of `candidates`, whose calls take turns. Collective.
std::vector<Point> measure(const Stage& stage, const std::vector<Candidate>& candidates, std::uint64_t block_bytes);

}  // namespace clearway::bench
