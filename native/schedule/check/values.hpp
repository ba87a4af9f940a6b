// What a slot may hold: a block as its origin had it, or several ranks' blocks of one number combined. As numbers, so
// that slots are small.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/problem.hpp"

namespace clearway::schedule {

inline constexpr std::uint32_t kNothing = ~std::uint32_t{0};

class Values {
public:
    // From `begin` to before `end`.
    struct Ranks {
        std::uint32_t begin, end;
    };

    explicit Values(const Problem& problem);

    // What `origin` has in a slot of its send buffer. Of an allgather all slots are one.
    std::uint32_t own(std::uint32_t origin, std::uint32_t slot) const;

    std::uint32_t block_of(std::uint32_t value) const;
    // Whose parts are in it.
    std::vector<Ranks> ranks_of(std::uint32_t value) const;

    struct Combination {
        std::uint32_t value;
        std::uint32_t twice;  // a rank whose part both have, or kNothing
    };
    // Both must be of one block.
    Combination combine(std::uint32_t a, std::uint32_t b);

private:
    struct Combined {
        std::uint32_t block;
        std::vector<Ranks> ranks;  // ascending, with gaps between them
    };

    std::uint32_t slots_;  // of each rank
    std::uint32_t first_;  // the first number of a combination
    bool is_allgather_;
    std::vector<Combined> combined_;
};

}  // namespace clearway::schedule
