// What can be asked for on the command line, before it becomes a Scenario.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/scenario.hpp"

namespace clearway::simulator {

struct ScenarioOptions {
    std::string operation = "alltoall";
    std::string candidate = "ordered";
    std::uint64_t block_bytes = 65536;
    std::uint64_t hosts = 8;
    std::uint64_t ranks_per_host = 1;
    std::uint64_t calls = 25;
    std::uint64_t pause_ns = 0;
    std::string meeting = "none";
    bool gathers_first = false;
    std::uint64_t seed = 1;

    LinkSettings link{.rate_bps = 1'000'000'000, .latency_ns = 10'000};
    std::uint64_t mark_ppm = 1'000'000;  // LinkSettings::mark_share
    std::uint64_t buffer_bytes = 65536;  // 0: deep
    std::uint64_t shared_bytes = 0;      // 0: each port has a buffer of its own
    std::uint64_t shared_percent = 100;  // alpha
    std::uint64_t is_crossover = 0;
    std::vector<std::uint32_t> sub_switch_of_host;
    std::vector<std::uint64_t> uplinks_bps, uplink_buffers_bytes;  // by sub-switch; empty: all alike
    std::uint32_t leaf_hosts = 0;                                  // 0: no leaves
    std::uint32_t spines = 0;
    std::uint32_t fat_tree_ports = 0;  // 0: no fat tree
    Dragonfly dragonfly{0, 0, 0};      // no hosts a router: no dragonfly
    std::uint64_t uplink_bps = 10'000'000'000;
    std::uint64_t uplink_buffer_bytes = 65536;
    std::uint64_t uplink_latency_ns = 500;  // inside a switch: hosts take most of the time from one program to another
    std::string flow_control = "off";
    bool stops_switches = true;  // with flow control
    bool cuts_through = false;
    bool arrivals_first = false;

    Framing framing;
    TcpSettings tcp;
    RdmaSettings rdma;
    std::uint32_t rdma_header_bytes = 26;  // of InfiniBand: LRH, BTH and both checksums
    std::string congestion = "cubic";
    std::string timeout_rule = "linux";
    MpiSettings mpi;
    NoiseSettings noise;
};

// Returns what is wrong with them, as a sentence; empty where it became the Scenario.
std::string make_scenario(const ScenarioOptions& options, Scenario& scenario);

}  // namespace clearway::simulator
