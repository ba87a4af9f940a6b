#include "simulator/machine.hpp"

#include "simulator/rdma/rdma.hpp"

namespace clearway::simulator {

namespace {

std::unique_ptr<Transport> transport_of(const Hardware& hardware, Network& network, Timers& timers) {
    if (hardware.has_rdma()) return std::make_unique<Rdma>(hardware.rdma, network, timers);
    return std::make_unique<Tcp>(hardware.tcp, network, timers);
}

}  // namespace

Machine::Machine(const Hardware& hardware, const schedule::Placement& placement, RankUser& ranks)
    : network_(hardware.topology, hardware.framing),
      transport_(transport_of(hardware, network_, timers_)),
      messages_(hardware.mpi, hardware.noise, hardware.seed, placement, *transport_, timers_) {
    transport_->serve(messages_);
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
    if (arrived.is_sent) transport_->left_card(now_, arrived.packet);
    if (!arrived.is_at_host) return true;
    transport_->arrive(now_, arrived.packet);
    if (watcher_ != nullptr) watcher_->arrived(now_, arrived.packet.to);
    return true;
}

void Machine::wake(const Timer& timer) {
    switch (timer.waking()) {
        case Waking::connection: {
            const std::uint64_t timeouts = transport_->counts().timeouts;
            transport_->wake(now_, timer.subject());
            if (watcher_ != nullptr && transport_->counts().timeouts > timeouts)
                watcher_->timed_out(now_, timer.subject());
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
