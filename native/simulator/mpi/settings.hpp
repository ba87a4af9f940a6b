// How an MPI library moves messages, and what that costs the core that a rank runs on.
#pragma once

#include <cstdint>

namespace clearway::simulator {

// How ranks meet before a call that is to be timed.
enum class Barrier : std::uint8_t {
    none,
    dissemination,  // word of all goes round: they go on at about the same time
    linear,         // all tell rank 0, which tells all: it goes on a latency before them (Open MPI, 3 to 7 ranks)
};
struct Meeting {
    Barrier barrier = Barrier::none;
    bool gathers_first = false;  // what the call before took, as benchmarks do; word goes round as in a dissemination
};

struct MpiSettings {
    std::uint64_t eager_bytes = 65536;       // longer messages ask first, and go when they are expected: rendezvous
    std::uint64_t header_bytes = 48;         // before each message in the stream
    std::uint64_t message_ns = 0;            // of the core, for each message sent or received
    std::uint64_t kilobyte_ns = 0;           // of the core, for each 1,000 bytes of them
    std::uint64_t memory_latency_ns = 500;   // between ranks of one host
    std::uint64_t memory_kilobyte_ns = 100;  // of the sender's core: it copies
};

// What else a rank's core is busy with.
struct NoiseSettings {
    std::uint64_t skew_ns = 0;    // calls begin at any moment up to this after the first could
    std::uint64_t period_ns = 0;  // a detour comes this often on average; 0: never
    std::uint64_t detour_ns = 0;  // and takes so long on average
    std::uint64_t wakeup_ns = 0;  // until a rank that waits notices something, on average
    std::uint32_t cores = 0;      // that all ranks of all hosts share; 0: each has its own
    // Computing takes turns on them, a tick of the kernel's at a time; else its times hold the waiting already.
    bool shares_computing = true;
    std::uint64_t slice_ns = 4'000'000;  // CONFIG_HZ=250
};

}  // namespace clearway::simulator
