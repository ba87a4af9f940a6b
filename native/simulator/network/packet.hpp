// A TCP segment on its way, without its payload: what a switch and the other end look at.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clearway::simulator {

inline constexpr std::uint32_t kWindowUnit = 256;  // as TCP's window scale does, to keep the window in 16 bits

struct Packet {
    std::uint32_t to;  // the endpoint that it is for
    std::uint32_t sequence;
    std::uint32_t acknowledged;  // of both: the low bits of a position in the stream
    std::uint16_t length : 14;   // bytes of payload
    std::uint16_t has_met_congestion : 1;
    std::uint16_t echoes_congestion : 1;
    std::uint16_t window;  // in kWindowUnit
    // Last, for few have one: a SACK block; none where both are equal.
    std::uint32_t sack_begin;
    std::uint32_t sack_end;

    constexpr bool has_sack() const { return sack_begin != sack_end; }
};
static_assert(sizeof(Packet) == 24);
inline constexpr std::size_t kBytesBeforeSack = offsetof(Packet, sack_begin);

// The position near `reference` whose low bits are `low`.
constexpr std::uint64_t widen(std::uint64_t reference, std::uint32_t low) {
    const auto difference = static_cast<std::int32_t>(low - static_cast<std::uint32_t>(reference));
    return reference + static_cast<std::uint64_t>(static_cast<std::int64_t>(difference));
}

}  // namespace clearway::simulator
