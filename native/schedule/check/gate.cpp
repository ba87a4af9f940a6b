#include "schedule/check/gate.hpp"

namespace clearway::schedule {

GateKeeper::GateKeeper(const Schedule& schedule) : schedule_(schedule) {
    // Credits hold back nothing that a rendezvous does not: they come with the receive.
    if (schedule.separation.gate == Gate::barrier) count_barrier();
    if (schedule.separation.gate == Gate::token) count_leaves();
}

void GateKeeper::count_barrier() {
    barrier_.still_open.assign(schedule_.phases, 0);
    barrier_.kept.resize(schedule_.phases);
    for (const Program& program : schedule_.programs)
        for (const Step& step : program.steps) ++barrier_.still_open[step.phase];
    std::vector<StepId> nobody;
    barrier_.advance(nobody);
}

void GateKeeper::count_leaves() {
    const std::size_t ranks = schedule_.programs.size();
    senders_.resize(ranks);
    receivers_.resize(ranks);
    next_leave_.assign(ranks, 0);
    std::vector<StepId> nobody;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (Door* door : {&senders_[rank], &receivers_[rank]}) {
            door->still_open.assign(schedule_.phases, 0);
            door->kept.resize(schedule_.phases);
        }
        for (const Leave& leave : schedule_.programs[rank].needs) ++senders_[rank].still_open[leave.phase];
        for (const Step& step : schedule_.programs[rank].steps)
            if (step.action == Action::receive) ++receivers_[rank].still_open[step.phase];
    }
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        senders_[rank].advance(nobody);
        receivers_[rank].advance(nobody);
        give_leaves(rank, nobody);
    }
}

bool GateKeeper::pass(StepId id) {
    const Step& step = step_at(schedule_, id);
    Door* door = nullptr;
    if (schedule_.separation.gate == Gate::barrier) door = &barrier_;
    if (schedule_.separation.gate == Gate::token && step.action == Action::send) door = &senders_[id.rank];
    if (door == nullptr || step.phase <= door->phase) return true;
    door->kept[step.phase].push_back(id);
    return false;
}

void GateKeeper::end(StepId id, std::vector<StepId>& released) {
    const Step& step = step_at(schedule_, id);
    if (schedule_.separation.gate == Gate::barrier) {
        --barrier_.still_open[step.phase];
        barrier_.advance(released);
    }
    if (schedule_.separation.gate == Gate::token && step.action == Action::receive) {
        --receivers_[id.rank].still_open[step.phase];
        receivers_[id.rank].advance(released);
        give_leaves(id.rank, released);
    }
}

// Leaves about the phases whose receives have all ended. Those that a peer does not expect are check_leaves' to find.
void GateKeeper::give_leaves(std::uint32_t rank, std::vector<StepId>& released) {
    const std::vector<Leave>& gives = schedule_.programs[rank].gives;
    const Door& receiver = receivers_[rank];
    for (std::size_t& next = next_leave_[rank]; next < gives.size() && gives[next].phase < receiver.phase; ++next) {
        Door& door = senders_[gives[next].peer];
        if (door.still_open[gives[next].phase] > 0) --door.still_open[gives[next].phase];
        door.advance(released);
    }
}

void GateKeeper::Door::advance(std::vector<StepId>& released) {
    while (phase + 1 < still_open.size() && still_open[phase] == 0) {
        ++phase;
        released.insert(released.end(), kept[phase].begin(), kept[phase].end());
        kept[phase].clear();
    }
}

}  // namespace clearway::schedule
