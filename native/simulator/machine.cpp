#include "simulator/machine.hpp"

namespace clearway::simulator {

Machine::Machine(const Hardware& hardware, const schedule::Placement& placement, RankUser& ranks)
    : network_(hardware.topology, hardware.framing),
      tcp_(hardware.tcp, network_, timers_),
      messages_(hardware.mpi, hardware.noise, hardware.seed, placement, tcp_, timers_) {
    tcp_.serve(messages_);
    messages_.serve(ranks);
}

bool Machine::step() {
    const Picoseconds arrival = network_.next_time();
    if (!timers_.empty() && timers_.top().time < arrival) {
        const Timer timer = timers_.top();
        timers_.pop();
        now_ = timer.time;
        wake(timer);
        return true;
    }
    if (arrival == kNever) return false;
    now_ = arrival;
    const Network::Arrival arrived = network_.step();
    if (arrived.is_sent) tcp_.left_card(now_, arrived.packet);
    if (!arrived.is_at_host) return true;
    tcp_.arrive(now_, arrived.packet);
    if (watcher_ != nullptr) watcher_->arrived(now_, arrived.packet.to);
    return true;
}

void Machine::wake(const Timer& timer) {
    switch (timer.waking()) {
        case Waking::connection: {
            const std::uint64_t timeouts = tcp_.counts().timeouts;
            tcp_.wake(now_, timer.subject());
            if (watcher_ != nullptr && tcp_.counts().timeouts > timeouts) watcher_->timed_out(now_, timer.subject());
            return;
        }
        case Waking::rank:
            return messages_.wake_rank(now_, timer.subject());
        case Waking::looker:
            return messages_.wake_looker(now_, timer.subject());
        case Waking::poller:
            return messages_.wake_poller(now_, timer.subject());
        case Waking::memory:
            return messages_.wake_memory(now_, timer.subject());
    }
}

}  // namespace clearway::simulator
