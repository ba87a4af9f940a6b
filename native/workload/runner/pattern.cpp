#include "workload/runner/pattern.hpp"

#include <algorithm>
#include <cstring>

namespace clearway::workload {

namespace {

constexpr std::uint64_t kWordBytes = 8;

std::uint64_t mixed(std::uint64_t value) {  // splitmix64
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

// One multiplication a word: filling and checking must stay cheap beside the message itself.
std::uint64_t word_at(std::uint64_t seed, std::uint64_t place) { return (seed + place) * 0x9e3779b97f4a7c15ULL; }

}  // namespace

std::uint64_t seed_of(const Stamp& stamp) {
    std::uint64_t seed = 0;
    for (const int part : {stamp.step, stamp.communicator, stamp.source, stamp.destination, stamp.tag})
        seed = mixed(seed + 0x9e3779b97f4a7c15ULL + static_cast<std::uint32_t>(part));
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
