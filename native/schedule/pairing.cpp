#include "schedule/pairing.hpp"

#include <bit>

namespace clearway::schedule {

namespace {

// Players 0 … m−1 (m odd) stand on a circle; in round i those whose numbers add up to i (mod m) meet. The one left
// over, 2x = i (mod m), sits out, or meets the player in the centre.
std::uint32_t opponent_on_circle(std::uint32_t player, std::uint32_t round, std::uint32_t players) {
    return (round % players + players - player) % players;
}

}  // namespace

std::uint32_t rounds_of_pairs(std::uint32_t players) {
    if (players < 2) return 0;
    return players % 2 == 0 ? players - 1 : players;
}

std::uint32_t partner(std::uint32_t player, std::uint32_t round, std::uint32_t players) {
    if (players % 2 != 0) return opponent_on_circle(player, round, players);
    if (std::has_single_bit(players)) return player ^ (round + 1);
    const std::uint32_t circle = players - 1;
    const auto left_over = static_cast<std::uint32_t>(std::uint64_t{round} * (players / 2) % circle);
    if (player == circle) return left_over;  // the centre
    return player == left_over ? circle : opponent_on_circle(player, round, circle);
}

}  // namespace clearway::schedule
