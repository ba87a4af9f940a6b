// Chance from a seed, the same on every machine: SplitMix64 (Steele, Lea, Flood 2014).
#pragma once

#include <cmath>
#include <cstdint>

#include "base/hash.hpp"

namespace clearway::simulator {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        const std::uint64_t number = mix(state_);
        state_ += kGoldenRatio;
        return number;
    }

    // In [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    double exponential(double mean) { return -mean * std::log1p(-uniform()); }

private:
    std::uint64_t state_;
};

}  // namespace clearway::simulator
