// What messages hold, so that one that arrives at a wrong place, from a wrong rank, late or in part is noticed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clearway::workload {

constexpr int kAll = -1;  // a destination: the same bytes go to everyone

// Where a message belongs; ranks are those of the communicator.
struct Stamp {
    int step, communicator, source, destination, tag;
};

std::uint64_t seed_of(const Stamp& stamp);

void fill(std::uint64_t seed, std::byte* block, std::uint64_t bytes);

// `bytes` where all of them are right.
std::uint64_t first_wrong(std::uint64_t seed, const std::byte* block, std::uint64_t bytes);

// A number that a sum of many of them keeps exactly.
double summand(std::uint64_t seed, std::uint64_t place);

}  // namespace clearway::workload
