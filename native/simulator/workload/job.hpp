// Runs a Script on a simulated cluster, from its first step to its last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/machine.hpp"
#include "simulator/workload/rank_job.hpp"

namespace clearway::simulator {

struct JobScenario : Hardware {
    workload::Script script;
    schedule::Placement placement;
    Choices choices;
};

struct JobOutcome {
    std::uint64_t duration_ns = 0;
    std::string stuck;  // which ranks wait for what, if nothing was left to happen before the last one had ended
    NetworkCounts network;
    TransportCounts tcp;
};

class Job final : public RankUser {
public:
    explicit Job(const JobScenario& scenario);

    void watch(CallWatcher* watcher);
    Machine& machine() { return machine_; }
    JobOutcome run();

    void sent(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) override;
    void received(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) override;
    void heard(std::uint32_t rank, MessageKind kind, const Label& label) override;
    void go_on(Picoseconds now, std::uint32_t rank) override;

private:
    std::string stuck() const;

    JobPlan plan_;
    Machine machine_;
    std::vector<RankJob> ranks_;
    std::uint32_t running_ = 0;
};

}  // namespace clearway::simulator
