// DCTCP (RFC 8257, net/ipv4/tcp_dctcp.c): the window shrinks by as much as the network marks.
#pragma once

#include <cstdint>

namespace clearway::simulator {

struct Dctcp {
    float marked_share = 1;                   // alpha: of the segments, averaged over windows
    std::uint64_t round_end = 0;              // a window ends when this is acknowledged
    std::uint32_t delivered = 0, marked = 0;  // segments since it began

    // With each acknowledgement.
    void count(std::uint32_t segments, bool is_marked, std::uint64_t una, std::uint64_t nxt);
};

}  // namespace clearway::simulator
