// What a Run keeps of a simulated job's connections: what was sent and sent again, timeouts, and the stalls they end.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/machine.hpp"

namespace clearway::simulator {

struct Stall {
    Picoseconds begin, end;
    std::uint32_t timeouts;
};

// One end of a connection.
struct ConnectionSeen {
    std::uint64_t bytes_sent = 0, bytes_resent = 0;  // sent: with what was sent again
    std::uint32_t segments_sent = 0, segments_received = 0, segments_resent = 0, timeouts = 0;
    std::uint64_t sent_until = 0;   // position in the stream
    std::uint64_t heard_until = 0;  // acknowledged
    Picoseconds first = kNever, last = 0;
    Picoseconds waits_since = 0;  // for an acknowledgement: the last one, or the first segment after a rest
    std::uint32_t timeouts_in_stall = 0;
    std::vector<Stall> stalls;
};

class ConnectionLog final : public ConnectionWatcher, public Watcher {
public:
    explicit ConnectionLog(const Machine& machine) : machine_(machine) {}

    // May be asked of any endpoint.
    const ConnectionSeen& of(std::uint32_t endpoint) { return at(endpoint); }

    void arrived(Picoseconds now, std::uint32_t endpoint) override;
    void timed_out(Picoseconds now, std::uint32_t endpoint) override;
    void saw(Happening happening, Picoseconds now, std::uint32_t link, const Packet& packet) override;

private:
    ConnectionSeen& at(std::uint32_t endpoint);

    const Machine& machine_;
    std::vector<ConnectionSeen> ends_;
};

}  // namespace clearway::simulator
