#include "schedule/check/gate.hpp"

namespace clearway::schedule {

GateKeeper::GateKeeper(const Schedule& schedule) : schedule_(schedule) {
    // Credits hold back nothing that a rendezvous does not: they come with the receive. Small blocks may go without
    // a gate; what cannot hang behind a gate cannot hang without it.
    const Gate gate = schedule.separation.gate;
    if (gate == Gate::barrier) doors_.resize(1);
    if (gate == Gate::token) doors_.resize(schedule.programs.size());
    for (Door& door : doors_) {
        door.still_open.assign(schedule.phases, 0);
        door.kept.resize(schedule.phases);
    }
    for (std::uint32_t rank = 0; rank < schedule.programs.size(); ++rank)
        for (std::uint32_t index = 0; index < schedule.programs[rank].steps.size(); ++index)
            if (const std::uint32_t door = door_held_by({rank, index}); door != kNoDoor)
                ++doors_[door].still_open[schedule.programs[rank].steps[index].phase];
    std::vector<StepId> nobody;
    for (Door& door : doors_) door.advance(nobody);
}

std::uint32_t GateKeeper::door_for(StepId id) const {
    if (doors_.empty()) return kNoDoor;
    if (schedule_.separation.gate == Gate::barrier) return 0;
    const Step& step = step_at(schedule_, id);
    return step.action == Action::send ? step.peer : kNoDoor;
}

std::uint32_t GateKeeper::door_held_by(StepId id) const {
    if (doors_.empty()) return kNoDoor;
    if (schedule_.separation.gate == Gate::barrier) return 0;
    return step_at(schedule_, id).action == Action::receive ? id.rank : kNoDoor;
}

bool GateKeeper::pass(StepId id) {
    const std::uint32_t index = door_for(id);
    if (index == kNoDoor) return true;
    Door& door = doors_[index];
    const std::uint32_t phase = step_at(schedule_, id).phase;
    if (phase <= door.phase) return true;
    door.kept[phase].push_back(id);
    return false;
}

void GateKeeper::end(StepId id, std::vector<StepId>& released) {
    const std::uint32_t index = door_held_by(id);
    if (index == kNoDoor) return;
    Door& door = doors_[index];
    --door.still_open[step_at(schedule_, id).phase];
    door.advance(released);
}

void GateKeeper::Door::advance(std::vector<StepId>& released) {
    while (phase + 1 < still_open.size() && still_open[phase] == 0) {
        ++phase;
        released.insert(released.end(), kept[phase].begin(), kept[phase].end());
        kept[phase].clear();
    }
}

}  // namespace clearway::schedule
