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
    // Opens phase by phase, as what is counted for each phase comes to nothing.
    struct Door {
        std::vector<std::uint32_t> still_open;  // by phase
        std::uint32_t phase = 0;                // the first with something still open: steps up to here may pass
        std::vector<std::vector<StepId>> kept;  // by phase
        void advance(std::vector<StepId>& released);
    };

    void count_barrier();
    void count_leaves();
    void give_leaves(std::uint32_t rank, std::vector<StepId>& released);

    const Schedule& schedule_;
    Door barrier_;                         // counts all steps of all ranks
    std::vector<Door> senders_;            // by rank: counts the leaves that its sends need
    std::vector<Door> receivers_;          // by rank: counts its receives
    std::vector<std::size_t> next_leave_;  // by rank: the first that it has not given
};

}  // namespace clearway::schedule
