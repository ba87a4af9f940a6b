// What messages hold.
#pragma once

#include <cstdint>

#include "base/pattern.hpp"

namespace clearway::workload {

constexpr int kAll = -1;  // a destination: the same bytes go to everyone

// Where a message belongs, the seed of its bytes; ranks are those of the communicator.
struct Stamp {
    int step, communicator, source, destination, tag;
};

std::uint64_t seed_of(const Stamp& stamp);

// A number that a sum of many of them keeps exactly.
double summand(std::uint64_t seed, std::uint64_t place);

}  // namespace clearway::workload
