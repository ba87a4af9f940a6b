#include "workload/runner/pattern.hpp"

#include "base/hash.hpp"

namespace clearway::workload {

std::uint64_t seed_of(const Stamp& stamp) {
    std::uint64_t seed = 0;
    for (const int part : {stamp.step, stamp.communicator, stamp.source, stamp.destination, stamp.tag})
        seed = mix(seed + static_cast<std::uint32_t>(part));
    return seed;
}

double summand(std::uint64_t seed, std::uint64_t place) { return static_cast<double>(pattern_word(seed, place) >> 48); }

}  // namespace clearway::workload
