// Numbers by which the messages of one collective call find each other.
#pragma once

#include <bit>
#include <cstdint>

namespace clearway::simulator {

// Set in the contexts of collectives: else it is one of JobPlan's.
inline constexpr std::uint32_t kIsCollective = 0x80000000U;

// The 31 bits below hold the communicator, and of the call's number what is left: two calls of a communicator that are
// as far apart as that are never under way at once.
constexpr std::uint32_t context_of(std::uint32_t communicator, std::uint32_t call, std::uint32_t communicators) {
    const auto call_bits = static_cast<std::uint32_t>(31 - std::bit_width(communicators));
    return kIsCollective | communicator << call_bits | (call & ((1U << call_bits) - 1));
}

}  // namespace clearway::simulator
