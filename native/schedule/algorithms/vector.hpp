// What the algorithms on vectors share.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "schedule/program_builder.hpp"

namespace clearway::schedule::algorithm {

inline Slots whole(const Problem& problem, Buffer buffer, std::uint32_t first = 0) {
    return {buffer, first, problem.blocks};
}

// Neighbouring blocks of the vector, and where they stand in a buffer that begins with slot `first`.
struct Blocks {
    std::uint32_t begin, end;
    Slots in(Buffer buffer, std::uint32_t first = 0) const { return {buffer, first + begin, end - begin}; }
};

// The blocks from part `first` on, of `parts` as equal as can be.
inline Blocks blocks_of_parts(const Problem& problem, std::uint32_t first, std::uint32_t count, std::uint32_t parts) {
    const auto begin_of = [&](std::uint64_t part) { return static_cast<std::uint32_t>(part * problem.blocks / parts); };
    return {begin_of(first), begin_of(std::uint64_t{first} + count)};
}

// A binomial tree. Places are ranks counted from the root.
struct Tree {
    std::uint32_t ranks, root;

    std::uint32_t place(std::uint32_t rank) const { return (rank + ranks - root) % ranks; }
    std::uint32_t rank(std::uint32_t place) const { return (place + root) % ranks; }
    std::uint32_t highest() const { return std::bit_ceil(ranks) / 2; }
    // How many places are below `place` in the tree whose branches there have `mask` places, itself included.
    std::uint32_t branch(std::uint32_t place, std::uint32_t mask) const { return std::min(mask, ranks - place); }
};

// A power of two of the ranks take part; each of the first others hands its vector to its neighbour.
struct Folded {
    explicit Folded(std::uint32_t ranks) : size(std::bit_floor(ranks)), pairs(ranks - size) {}

    std::uint32_t size, pairs;

    bool takes_part(std::uint32_t rank) const { return rank >= 2 * pairs || rank % 2 == 1; }
    std::uint32_t place(std::uint32_t rank) const { return rank < 2 * pairs ? rank / 2 : rank - pairs; }
    std::uint32_t rank(std::uint32_t place) const { return place < pairs ? 2 * place + 1 : place + pairs; }
    std::uint32_t phases() const { return pairs != 0 ? 1 : 0; }
};

// In phase 0 everybody puts its own vector into `work`, and those that do not take part give theirs to a neighbour,
// which adds it. `spare` is room for a vector in the scratch buffer. Returns the first of these steps, which others of
// phase 0 must come after where no ranks are paired.
inline std::uint32_t fold(const Problem& problem, const Folded& folded, std::uint32_t rank, Slots work,
                          std::uint32_t spare, ProgramBuilder& program) {
    if (!folded.takes_part(rank)) return program.send(rank + 1, whole(problem, Buffer::send));
    const std::uint32_t own = program.copy(whole(problem, Buffer::send), work);
    if (rank >= 2 * folded.pairs) return own;
    const Slots theirs = whole(problem, Buffer::scratch, spare);
    program.reduce(theirs, work, program.receive(rank - 1, theirs), own);
    return own;
}

// In the last phase they get the result back.
inline void unfold(const Problem& problem, const Folded& folded, std::uint32_t rank, std::uint32_t phase,
                   ProgramBuilder& program) {
    if (rank >= 2 * folded.pairs) return;
    program.enter_phase(phase);
    const Slots result = whole(problem, Buffer::receive);
    if (folded.takes_part(rank)) {
        program.send(rank - 1, result);
    } else {
        program.receive(rank + 1, result);
    }
}

}  // namespace clearway::schedule::algorithm
