// How an MPI library moves messages, and what that costs the core that a rank runs on.
#pragma once

#include <cstdint>

namespace clearway::simulator {

// How ranks meet before a call that is to be timed.
enum class Barrier : std::uint8_t {
    none,
    dissemination,  // word of all goes round: they go on at about the same time
    linear,         // all tell rank 0, which tells all: it goes on a latency before them (Open MPI, 3 to 7 ranks)
    doubling,       // recursive doubling: ranks beyond a power of two are told by one of these, a latency later
};
struct Meeting {
    Barrier barrier = Barrier::none;
    bool gathers_first = false;  // what the call before took, as benchmarks do; word goes round as in a dissemination
};

struct MpiSettings {
    std::uint64_t eager_bytes = 65536;  // longer messages ask first, and go when they are expected: rendezvous
    // The receiver of such a message tells that it has come, and goes on when the sender has answered (UCX over TCP: a
    // put is acknowledged, and only then its end told of).
    bool confirms_bodies = false;
    // Open MPI: what has come is read, and then looked again, before the program goes on. On shared cores a look that
    // finds nothing takes a while (patience_ns).
    bool looks_twice = false;
    // LAM: requests that have come before their receives are granted after the rank's own requests have gone.
    bool asks_first = false;
    std::uint64_t header_bytes = 48;         // before each message in the stream
    std::uint64_t message_ns = 0;            // of the core, for each message sent or received
    std::uint64_t kilobyte_ns = 0;           // of the core, for each 1,000 bytes of them
    std::uint64_t memory_latency_ns = 500;   // between ranks of one host
    std::uint64_t memory_kilobyte_ns = 100;  // of the sender's core: it copies
};

// What else a rank's core is busy with.
struct NoiseSettings {
    std::uint64_t skew_ns = 0;    // calls begin at any moment up to this after the first could
    std::uint64_t period_ns = 0;  // a detour of a core comes this often on average; 0: never
    std::uint64_t detour_ns = 0;  // and takes so long on average
    std::uint64_t wakeup_ns = 0;  // until a rank that waits notices something, on average
    std::uint32_t cores = 0;      // that all ranks of all hosts share; 0: each has its own
    bool is_bound = false;        // of these, each rank keeps to one: the first to the first, and so on in turn
    std::uint64_t packet_ns = 0;  // of these, for each packet: what kernels do from one program to the other
    std::uint64_t wake_ns = 0;    // of these, when a rank that waits is woken
    std::uint64_t switch_ns = 0;  // besides, where its core has worked for another rank meanwhile: caches are cold
    std::uint64_t poll_ns = 0;    // of these, when a rank that waits looks in vain; 0: it sleeps until something comes
    std::uint64_t patience_ns = 110'000;  // between two such looks
    std::uint64_t timer_ns = 0;           // of these, when a link lets a packet go that has waited for its turn
    std::uint64_t relay_ns = 0;  // of these, for each packet through a switch: one program does it for all; 0: none
    // Computing takes turns on them, a tick of the kernel's at a time; else its times hold the waiting already.
    bool shares_computing = true;
    std::uint64_t slice_ns = 4'000'000;  // CONFIG_HZ=250
};

}  // namespace clearway::simulator
