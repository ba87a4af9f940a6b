#include "simulator/simulation.hpp"

namespace clearway::simulator {

Simulation::Simulation(const Scenario& scenario)
    : scenario_(scenario),
      network_(scenario.topology, scenario.framing),
      tcp_(scenario.tcp, network_, timers_),
      messages_(scenario.mpi, scenario.noise, scenario.seed, scenario.problem.placement, tcp_, timers_),
      runnables_(scenario.problem, scenario.candidate) {
    tcp_.serve(messages_);
    messages_.serve(*this);
    const std::uint32_t ranks = schedule::ranks_of(scenario.problem);
    ranks_.reserve(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) ranks_.emplace_back(runnables_.of(rank), ranks, messages_);
}

Outcome Simulation::run() {
    Outcome outcome;
    for (std::uint32_t call = 0; call < scenario_.calls && !outcome.is_stuck; ++call) {
        outcome.calls.push_back(run_call());
        outcome.is_stuck = ended_ != ranks_.size();
        now_ += from_ns(scenario_.pause_ns);
    }
    outcome.network = network_.counts();
    outcome.tcp = tcp_.counts();
    return outcome;
}

CallOutcome Simulation::run_call() {
    const Picoseconds start = now_;
    const std::uint64_t drops = network_.counts().drops;
    const TcpCounts before = tcp_.counts();
    ended_ = 0;
    has_ended_.assign(ranks_.size(), false);
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        ranks_[rank].restart();
        messages_.begin(rank, start + messages_.core(rank).draw_skew());
    }
    while (ended_ < ranks_.size() && step()) {
    }
    return {.duration_ns = to_ns(now_ - start),
            .drops = network_.counts().drops - drops,
            .resent = tcp_.counts().resent - before.resent,
            .timeouts = tcp_.counts().timeouts - before.timeouts};
}

// Carries out what comes next; arrivals before timers. Returns whether there was something.
bool Simulation::step() {
    const Picoseconds arrival = network_.next_time();
    if (!timers_.empty() && timers_.top().time < arrival) {
        const Timer timer = timers_.top();
        timers_.pop();
        now_ = timer.time;
        switch (timer.waking) {
            case Waking::connection:
                tcp_.wake(now_, timer.subject);
                break;
            case Waking::rank:
                messages_.wake_rank(now_, timer.subject);
                break;
            case Waking::memory:
                messages_.wake_memory(now_, timer.subject);
                break;
        }
        return true;
    }
    if (arrival == kNever) return false;
    now_ = arrival;
    const Network::Arrival arrived = network_.step();
    if (arrived.is_first_hop) tcp_.left_card(now_, arrived.packet);
    if (arrived.is_at_host) tcp_.arrive(now_, arrived.packet);
    return true;
}

void Simulation::sent(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) {
    ranks_[rank].sent(subject, bytes);
}

void Simulation::received(std::uint32_t rank, std::uint32_t subject, std::uint32_t bytes) {
    ranks_[rank].received(subject, bytes);
}

void Simulation::heard(std::uint32_t rank, Kind kind, std::uint32_t subject) { ranks_[rank].heard(kind, subject); }

void Simulation::go_on(Picoseconds now, std::uint32_t rank) {
    ranks_[rank].go_on(now);
    if (has_ended_[rank] || !ranks_[rank].is_complete()) return;
    has_ended_[rank] = true;
    ++ended_;
}

}  // namespace clearway::simulator
