// What carries the streams of pairs of ranks: TCP, or the queue pairs of RDMA cards. The ends of a connection are
// neighbours: endpoints 2k and 2k + 1.
#pragma once

#include <cstdint>

#include "simulator/events/time.hpp"
#include "simulator/network/packet.hpp"
#include "simulator/tcp/packet_cost.hpp"

namespace clearway::simulator {

struct TransportCounts {
    std::uint64_t segments = 0;  // with payload, those sent again included
    std::uint64_t resent = 0;
    std::uint64_t timeouts = 0;
    std::uint64_t recoveries = 0;        // fast ones, without a timeout
    std::uint64_t acknowledgements = 0;  // without payload
};

// The program behind a socket or a queue pair.
struct StreamUser {
    virtual void can_read(Picoseconds now, std::uint32_t endpoint) = 0;
    // There is room after a write() that did not take everything.
    virtual void can_write(Picoseconds now, std::uint32_t endpoint) = 0;

protected:
    ~StreamUser() = default;
};

class Transport {
public:
    virtual ~Transport() = default;

    void serve(StreamUser& user) { user_ = &user; }
    const TransportCounts& counts() const { return counts_; }
    static std::uint32_t peer_of(std::uint32_t endpoint) { return endpoint ^ 1U; }

    virtual void charge(PacketCost* packets, bool is_relayed) = 0;

    // Address space for so many endpoints; memory is taken as they come.
    virtual void reserve(std::uint64_t endpoints) = 0;

    // The endpoint on `host`; the other one is peer_of it. The connection stands.
    virtual std::uint32_t connect(std::uint32_t host, std::uint32_t peer_host) = 0;

    // `bytes`: all that was not taken before, and what is new. Returns how much of it is taken, and so written: the
    // program may forget it.
    virtual std::uint64_t write(Picoseconds now, std::uint32_t endpoint, std::uint64_t bytes) = 0;
    virtual std::uint64_t written(std::uint32_t endpoint) const = 0;

    // The end of what can be read, and taking all of it.
    virtual std::uint64_t received(std::uint32_t endpoint) const = 0;
    virtual void read(Picoseconds now, std::uint32_t endpoint) = 0;

    virtual void arrive(Picoseconds now, const Packet& packet) = 0;
    virtual void left_card(Picoseconds now, const Packet& packet) = 0;
    virtual void wake(Picoseconds now, std::uint32_t subject) = 0;

protected:
    StreamUser* user_ = nullptr;
    TransportCounts counts_;
};

}  // namespace clearway::simulator
