// A part of a whole, in integers: no overflow between, and no exception of floating-point arithmetic.
#pragma once

#include <cstdint>

namespace clearway {

// total * part / whole; 0 of nothing.
inline std::uint64_t share(std::uint64_t total, std::uint64_t part, std::uint64_t whole) {
    __extension__ using Wide = unsigned __int128;
    return whole != 0 ? static_cast<std::uint64_t>(static_cast<Wide>(total) * part / whole) : 0;
}

}  // namespace clearway
