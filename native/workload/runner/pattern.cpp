#include "workload/runner/pattern.hpp"

#include <algorithm>
#include <cstring>

#include "base/hash.hpp"

namespace clearway::workload {

namespace {

constexpr std::uint64_t kWordBytes = 8;

// One multiplication a word: filling and checking must stay cheap beside the message itself.
std::uint64_t word_at(std::uint64_t seed, std::uint64_t place) { return (seed + place) * kGoldenRatio; }

}  // namespace

std::uint64_t seed_of(const Stamp& stamp) {
    std::uint64_t seed = 0;
    for (const int part : {stamp.step, stamp.communicator, stamp.source, stamp.destination, stamp.tag})
        seed = mix(seed + static_cast<std::uint32_t>(part));
    return seed;
}

void fill(std::uint64_t seed, std::byte* block, std::uint64_t bytes) {
    for (std::uint64_t place = 0; place < bytes; place += kWordBytes) {
        const std::uint64_t word = word_at(seed, place);
        std::memcpy(block + place, &word, std::min(kWordBytes, bytes - place));
    }
}

std::uint64_t first_wrong(std::uint64_t seed, const std::byte* block, std::uint64_t bytes) {
    for (std::uint64_t place = 0; place < bytes; place += kWordBytes) {
        const std::uint64_t word = word_at(seed, place);
        if (std::memcmp(block + place, &word, std::min(kWordBytes, bytes - place)) != 0) return place;
    }
    return bytes;
}

double summand(std::uint64_t seed, std::uint64_t place) { return static_cast<double>(word_at(seed, place) >> 48); }

}  // namespace clearway::workload
