// Rounds in which everybody meets everybody else once, in pairs.
#pragma once

#include <cstdint>

namespace clearway::schedule {

// 0 for one player; an odd number of players needs one round more than the others they have, each sitting one out.
std::uint32_t rounds_of_pairs(std::uint32_t players);

// Whom `player` meets in `round`; itself where it sits out. For powers of two player XOR (round + 1), MPICH's choice
// for long messages; else the circle method of tournaments, a 1-factorisation of the complete graph.
std::uint32_t partner(std::uint32_t player, std::uint32_t round, std::uint32_t players);

}  // namespace clearway::schedule
