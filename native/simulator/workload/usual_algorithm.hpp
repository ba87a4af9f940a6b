// Which algorithms MPI libraries usually choose for the operations on vectors: after Thakur, Rabenseifner and Gropp
// (2005, Int J High Perform Comput Appl 19:49) and MPICH's source.
#pragma once

#include <cstdint>

#include "schedule/algorithms.hpp"

namespace clearway::simulator {

// MPICH's limits: up to these latency counts, above them the bytes do.
inline constexpr std::uint64_t kShortBcastBytes = 12'288;
inline constexpr std::uint32_t kFewBcastRanks = 8;
inline constexpr std::uint64_t kShortReduceBytes = 2'048;

const schedule::Algorithm& usual_algorithm(schedule::Operation operation, std::uint32_t ranks, std::uint64_t bytes);

}  // namespace clearway::simulator
