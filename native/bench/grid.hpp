// The messages that PME's Fourier transform sends: the grid, cut along x, becomes one cut along y.
#pragma once

#include <cstdint>
#include <string_view>

namespace clearway::bench {

struct Grid {
    std::uint64_t x = 0, y = 0, z = 0;  // points; all 0: no grid
};

bool to_grid(std::string_view text, Grid& grid);  // "90x88x80"

// What each rank sends to each other one: its share of x and the other's of y, times the nz/2 + 1 complex numbers of
// single precision that a real transform along z leaves.
std::uint64_t block_bytes_of(const Grid& grid, std::uint32_t ranks);

}  // namespace clearway::bench
