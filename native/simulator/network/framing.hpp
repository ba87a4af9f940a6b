// What travels besides the payload. IEEE 802.3 clause 3: a frame has 14 bytes of header and 4 of checksum, is padded to
// 64 bytes, and is preceded by 8 bytes of preamble and a gap of 12.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simulator/network/packet.hpp"

namespace clearway::simulator {

struct Framing {
    std::uint32_t header_bytes = 52;  // IP and TCP with timestamps
    std::uint32_t sack_bytes = 12;    // the option with one block
    std::uint32_t frame_bytes = 18;   // counts in buffers and on the wire
    std::uint32_t least_frame_bytes = 64;
    std::uint32_t gap_bytes = 20;  // on the wire alone
};

constexpr std::uint32_t bytes_in_buffer(const Framing& framing, const Packet& packet) {
    const std::uint32_t options = packet.has_sack() ? framing.sack_bytes : 0;
    return std::max(packet.length + framing.header_bytes + options + framing.frame_bytes, framing.least_frame_bytes);
}

constexpr std::uint32_t longest_frame_bytes(const Framing& framing, std::uint32_t segment_bytes) {
    return segment_bytes + framing.header_bytes + framing.sack_bytes + framing.frame_bytes;
}

}  // namespace clearway::simulator
