// The processors that a thread may use.
#pragma once

#include <cstddef>

namespace clearway::recorder {

struct Processors {
    static constexpr int kMost = 8192, kBits = 8 * sizeof(unsigned long);
    unsigned long words[kMost / kBits];
    long bytes;  // that the kernel told; 0 or less: it did not

    bool has(unsigned long processor) const {
        return processor < kMost && ((words[processor / kBits] >> (processor % kBits)) & 1) != 0;
    }
};

// Those that the process might use as it began, whatever it has bound itself to since. GCC's OpenMP runtime binds the
// main thread to its first place when it is loaded, which is before our constructor: the door of that comes here first.
const Processors& processors_at_start();

// As the kernel writes such lists, "0-3,8"; of the calling thread for 0. False, and an empty text, where it cannot be
// read or does not fit.
bool list_affinity(int thread, char* text, std::size_t size);
bool list_processors(const Processors& processors, char* text, std::size_t size);

}  // namespace clearway::recorder
