// Runs a Scenario: calls of a collective operation, one after another, from an instant at which all ranks are ready
// until the last has returned.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/machine.hpp"
#include "simulator/mpi/runnables.hpp"
#include "simulator/scenario.hpp"

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
    TransportCounts tcp;
};

class Simulation final : public RankUser {
public:
    explicit Simulation(const Scenario& scenario);

    void watch(Watcher* watcher) { machine_.network().watch(watcher); }
    Outcome run();

    void sent(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) override;
    void received(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) override;
    void heard(std::uint32_t rank, MessageKind kind, const Label& label) override;
    void go_on(Picoseconds now, std::uint32_t rank) override;

private:
    bool goes_on_alone() const;
    void begin_call(std::uint32_t rank, Picoseconds time);
    CallOutcome run_call();

    const Scenario& scenario_;
    Machine machine_;
    Runnables runnables_;
    std::vector<std::uint32_t> members_;
    std::vector<RankCall> ranks_;
    std::vector<std::uint32_t> begun_;  // calls, of each rank
    std::vector<bool> has_ended_;       // of each rank, the last of these
    std::uint32_t ended_ = 0;
    Picoseconds longest_ = 0;  // of the ranks' times in this call
};

}  // namespace clearway::simulator
