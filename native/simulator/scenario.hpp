// Everything that a simulated run depends on. Two runs of equal scenarios are equal.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/candidate.hpp"
#include "schedule/problem.hpp"
#include "simulator/mpi/settings.hpp"
#include "simulator/network/framing.hpp"
#include "simulator/network/topology.hpp"
#include "simulator/rdma/settings.hpp"
#include "simulator/tcp/settings.hpp"

namespace clearway::simulator {

// The cluster, and what is set up on it.
struct Hardware {
    Topology topology;
    Framing framing;
    TcpSettings tcp;
    RdmaSettings rdma;
    MpiSettings mpi;
    NoiseSettings noise;
    std::uint64_t seed = 1;

    bool has_rdma() const { return rdma.mtu_bytes != 0; }
};

// Calls of one collective operation on it.
struct Scenario : Hardware {
    schedule::Problem problem;
    schedule::Candidate candidate;
    std::uint32_t calls = 1;
    std::uint64_t pause_ns = 0;  // between calls: the ranks compute
    // In a barrier, and then each times its own call, the longest of which counts: as benchmarks do.
    Meeting meeting;
};

}  // namespace clearway::simulator
