// How a call is counted, by whoever writes a Run: what its volume is, and what is added to its cell.
#pragma once

#include <bit>
#include <cstdint>

#include "run_record/layout.hpp"

namespace clearway {

struct Volume {
    std::uint64_t message_bytes;  // of one message: it chooses the size bin
    std::uint64_t bytes;          // of the whole call
};

// What a process contributes to a collective; which of these one is, recorder/mpi/calls.table says.
constexpr Volume once(std::uint64_t bytes) { return {bytes, bytes}; }
constexpr Volume repeated(std::uint64_t bytes, std::uint64_t times) { return {bytes, bytes * times}; }
constexpr Volume divided(std::uint64_t bytes, std::uint64_t parts) { return {parts > 0 ? bytes / parts : 0, bytes}; }

constexpr std::uint8_t size_bin(std::uint64_t bytes) { return static_cast<std::uint8_t>(std::bit_width(bytes)); }

constexpr CallCell empty_cell(std::uint16_t function, std::uint16_t comm, std::int32_t peer, std::uint8_t bin,
                              std::uint32_t thread) {
    return {function, comm, peer, bin, {}, thread, 0, 0, 0, ~std::uint64_t{0}, 0, 0};
}

inline void add_volume(CallCell& cell, std::uint64_t bytes) {
    ++cell.count;
    cell.bytes += bytes;
}

// `weight`: how many calls this one's time stands for.
inline void add_time(CallCell& cell, std::uint64_t ticks, std::uint64_t weight, std::uint64_t run_delay_ns) {
    cell.ticks += ticks * weight;
    if (ticks < cell.min_ticks) cell.min_ticks = ticks;
    if (ticks > cell.max_ticks) cell.max_ticks = ticks;
    cell.run_delay_ns += run_delay_ns;
}

}  // namespace clearway
