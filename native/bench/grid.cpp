#include "bench/grid.hpp"

#include <charconv>

namespace clearway::bench {

namespace {

constexpr std::uint64_t kComplexBytes = 8;
constexpr std::uint64_t kMostPoints = 1 << 20;  // in a direction

std::uint64_t share(std::uint64_t points, std::uint32_t ranks) { return (points + ranks - 1) / ranks; }

}  // namespace

bool to_grid(std::string_view text, Grid& grid) {
    for (std::uint64_t* points : {&grid.x, &grid.y, &grid.z}) {
        const char* const last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), last, *points);
        if (error != std::errc() || *points == 0 || *points > kMostPoints) return false;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (points == &grid.z) return text.empty();
        if (text.empty() || text.front() != 'x') return false;
        text.remove_prefix(1);
    }
    return false;
}

std::uint64_t block_bytes_of(const Grid& grid, std::uint32_t ranks) {
    return share(grid.x, ranks) * share(grid.y, ranks) * (grid.z / 2 + 1) * kComplexBytes;
}

}  // namespace clearway::bench
