// The simulated cluster: its network, TCP or RDMA and MPI on its hosts, and one clock. Carries out one event after
// another.
#pragma once

#include <cstdint>
#include <memory>

#include "simulator/mpi/messages.hpp"
#include "simulator/network/network.hpp"
#include "simulator/scenario.hpp"
#include "simulator/tcp/tcp.hpp"

namespace clearway::simulator {

// Sees what happens to connections, for a record of it.
struct ConnectionWatcher {
    virtual void arrived(Picoseconds now, std::uint32_t endpoint) = 0;
    virtual void timed_out(Picoseconds now, std::uint32_t endpoint) = 0;

protected:
    ~ConnectionWatcher() = default;
};

class Machine {
public:
    Machine(const Hardware& hardware, const schedule::Placement& placement, RankUser& ranks);

    void watch(ConnectionWatcher* watcher) { watcher_ = watcher; }

    // Carries out what comes next; arrivals before timers. Returns whether there was something.
    bool step();

    Picoseconds now() const { return now_; }
    void pause(Picoseconds duration) { now_ += duration; }
    Network& network() { return network_; }
    const Network& network() const { return network_; }
    const Transport& transport() const { return *transport_; }
    // Not where hosts have RDMA.
    const Tcp& tcp() const { return static_cast<const Tcp&>(*transport_); }
    Messages& messages() { return messages_; }

private:
    void wake(const Timer& timer);

    Timers timers_;
    Network network_;
    std::unique_ptr<Transport> transport_;
    Messages messages_;
    ConnectionWatcher* watcher_ = nullptr;
    Picoseconds now_ = 0;
};

}  // namespace clearway::simulator
