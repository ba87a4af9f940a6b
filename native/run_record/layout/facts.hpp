// Text and numbers that need no struct of their own. Part of a record: see layout.hpp.
#pragma once

#include <cstdint>

namespace clearway {

// Text and numbers that need no struct of their own. Names are dotted: "net.eth0.speed_mbit".
struct Fact {
    char name[64];
    char text[448];
};
struct Counter {
    char name[64];
    std::uint64_t first;  // at the first sample
    std::uint64_t last;   // at the newest
};

static_assert(sizeof(Fact) == 512);
static_assert(sizeof(Counter) == 80);

}  // namespace clearway
