#include "simulator/record/connection_log.hpp"

#include <algorithm>

namespace clearway::simulator {

ConnectionSeen& ConnectionLog::at(std::uint32_t endpoint) {
    if (endpoint >= ends_.size()) ends_.resize(endpoint + 1);
    return ends_[endpoint];
}

// Packets are seen where they enter their host's card.
void ConnectionLog::saw(Happening happening, Picoseconds now, std::uint32_t link, const Packet& packet) {
    if (happening == Happening::hop || link >= machine_.network().topology().hosts) return;
    ConnectionSeen& end = at(Tcp::peer_of(packet.to));
    ++end.segments_sent;
    end.first = std::min(end.first, now);
    end.last = now;
    if (packet.length == 0) return;
    const std::uint64_t begin = widen(end.sent_until, packet.sequence);
    end.bytes_sent += packet.length;
    if (begin < end.sent_until) {
        end.bytes_resent += packet.length;
        ++end.segments_resent;
    } else if (begin == end.heard_until) {
        end.waits_since = now;
    }
    end.sent_until = std::max(end.sent_until, begin + packet.length);
}

void ConnectionLog::arrived(Picoseconds now, std::uint32_t endpoint) {
    ConnectionSeen& end = at(endpoint);
    ++end.segments_received;
    end.last = now;
    const std::uint64_t acknowledged = machine_.tcp().endpoint(endpoint).una;
    if (acknowledged <= end.heard_until) return;
    end.heard_until = acknowledged;
    if (end.timeouts_in_stall > 0) end.stalls.push_back({end.waits_since, now, end.timeouts_in_stall});
    end.timeouts_in_stall = 0;
    end.waits_since = now;
}

void ConnectionLog::timed_out(Picoseconds, std::uint32_t endpoint) {
    ConnectionSeen& end = at(endpoint);
    ++end.timeouts;
    ++end.timeouts_in_stall;
}

}  // namespace clearway::simulator
