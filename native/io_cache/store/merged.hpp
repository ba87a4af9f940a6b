// What became of bytes that the file did not have yet, where others had written to it meanwhile.
#pragma once

#include <cstdint>

namespace clearway::io_cache {

struct Merged {
    std::uint64_t others_bytes = 0;  // of ours that gave way
    std::uint64_t unsure_bytes = 0;  // ours stay, though others may have written there
    int error = 0;                   // what was asked of the file then; ours stay
};

}  // namespace clearway::io_cache
