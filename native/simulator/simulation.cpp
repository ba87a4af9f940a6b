#include "simulator/simulation.hpp"

#include <algorithm>
#include <numeric>

namespace clearway::simulator {

Simulation::Simulation(const Scenario& scenario)
    : scenario_(scenario),
      machine_(scenario, scenario.problem.placement, *this),
      runnables_(scenario.problem, scenario.candidate),
      members_(schedule::ranks_of(scenario.problem)),
      begun_(members_.size(), 0),
      has_ended_(members_.size(), false) {
    std::iota(members_.begin(), members_.end(), 0U);
    ranks_.reserve(members_.size());
    for (const std::uint32_t rank : members_)
        ranks_.emplace_back(runnables_.of(rank), Line{machine_.messages(), members_, 0});
}

Outcome Simulation::run() {
    Outcome outcome;
    for (std::uint32_t call = 0; call < scenario_.calls && !outcome.is_stuck; ++call) {
        outcome.calls.push_back(run_call());
        outcome.is_stuck = ended_ != ranks_.size();
        if (!goes_on_alone()) machine_.pause(from_ns(scenario_.pause_ns));
    }
    outcome.network = machine_.network().counts();
    outcome.tcp = machine_.transport().counts();
    return outcome;
}

// Whoever has ended a call enters the exchange of times while others are still in the call: how far apart they end it
// is how far apart they begin the next, but for what exchange and barrier make of that.
bool Simulation::goes_on_alone() const { return scenario_.meeting.gathers_first; }

void Simulation::begin_call(std::uint32_t rank, Picoseconds time) {
    const bool comes_from_call = begun_[rank]++ > 0 && goes_on_alone();
    has_ended_[rank] = false;
    ranks_[rank].restart(goes_on_alone() && !comes_from_call ? Meeting{} : scenario_.meeting);
    const Picoseconds skew = comes_from_call ? 0 : machine_.messages().core(rank).draw_skew();
    machine_.messages().begin(rank, time + skew);
}

CallOutcome Simulation::run_call() {
    const Picoseconds start = machine_.now();
    const std::uint64_t drops = machine_.network().counts().drops;
    const TransportCounts before = machine_.transport().counts();
    ended_ = 0;
    longest_ = 0;
    const bool is_first = begun_[0] == 0;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
        if (is_first || !goes_on_alone()) begin_call(rank, start);
    while (ended_ < ranks_.size() && machine_.step()) {
    }
    return {.duration_ns = to_ns(scenario_.meeting.barrier != Barrier::none ? longest_ : machine_.now() - start),
            .drops = machine_.network().counts().drops - drops,
            .resent = machine_.transport().counts().resent - before.resent,
            .timeouts = machine_.transport().counts().timeouts - before.timeouts};
}

void Simulation::sent(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) {
    ranks_[rank].sent(subject, bytes);
}

void Simulation::received(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) {
    ranks_[rank].received(subject, bytes);
}

void Simulation::heard(std::uint32_t rank, MessageKind kind, const Label& label) {
    ranks_[rank].heard(kind, label.subject);
}

void Simulation::go_on(Picoseconds now, std::uint32_t rank) {
    ranks_[rank].go_on(now);
    if (has_ended_[rank] || !ranks_[rank].is_complete()) return;
    has_ended_[rank] = true;
    longest_ = std::max(longest_, now - ranks_[rank].began_at());
    ++ended_;
    if (goes_on_alone() && begun_[rank] < scenario_.calls) begin_call(rank, now + from_ns(scenario_.pause_ns));
}

}  // namespace clearway::simulator
