// Holds steps back until those that the Separation makes them wait for have ended.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/check/parts.hpp"
#include "schedule/schedule.hpp"

namespace clearway::schedule {

class GateKeeper {
public:
    explicit GateKeeper(const Schedule& schedule);

    // Whether the step may pass. If not, it is kept, and given out by a later `end`.
    bool pass(StepId id);

    // The step has ended: appends those that may pass now.
    void end(StepId id, std::vector<StepId>& released);

private:
    // What is waited for: with a barrier all steps of all ranks, with a token the receives of one rank.
    struct Door {
        std::vector<std::uint32_t> still_open;  // steps of each phase that have not ended
        std::uint32_t phase = 0;                // steps up to this phase may pass
        std::vector<std::vector<StepId>> kept;  // by phase
        void advance(std::vector<StepId>& released);
    };
    static constexpr std::uint32_t kNoDoor = ~std::uint32_t{0};
    std::uint32_t door_for(StepId id) const;
    std::uint32_t door_held_by(StepId id) const;

    const Schedule& schedule_;
    std::vector<Door> doors_;
};

}  // namespace clearway::schedule
