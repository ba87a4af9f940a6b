// Runs a Scenario: calls of a collective operation, one after another, from an instant at which all ranks are ready
// until the last has returned.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/mpi/runnables.hpp"
#include "simulator/network/network.hpp"
#include "simulator/scenario.hpp"
#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

// Of one call.
struct CallOutcome {
    std::uint64_t duration_ns = 0;
    std::uint64_t drops = 0;
    std::uint64_t resent = 0;
    std::uint64_t timeouts = 0;
};

struct Outcome {
    std::vector<CallOutcome> calls;
    bool is_stuck = false;  // nothing was left to happen before the last call had ended
    NetworkCounts network;
    TcpCounts tcp;
};

class Simulation final : public RankUser {
public:
    explicit Simulation(const Scenario& scenario);

    void watch(Watcher* watcher) { network_.watch(watcher); }
    Outcome run();

    void sent(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) override;
    void received(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) override;
    void heard(std::uint32_t rank, Kind kind, std::uint32_t subject) override;
    void go_on(Picoseconds now, std::uint32_t rank) override;

private:
    CallOutcome run_call();
    bool step();

    const Scenario& scenario_;
    Timers timers_;
    Network network_;
    Tcp tcp_;
    Messages messages_;
    Runnables runnables_;
    std::vector<RankCall> ranks_;
    std::vector<bool> has_ended_;
    std::uint32_t ended_ = 0;
    Picoseconds now_ = 0;
};

}  // namespace clearway::simulator
