// Proves that a Schedule does what its operation promises, whatever made it: from a Schedule without violation every
// byte arrives exactly once, at its place and from its origin, every rank's part enters each result exactly once, and
// no order of events can hang it.
//
// The proof is exact where nothing races: then each slot goes through the same contents in every order of events, so
// one run of all Programs on symbols (which block is it?) instead of bytes stands for all runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"

namespace clearway::schedule {

enum class Fault : std::uint8_t {
    malformed,  // indices, peers or phases that do not exist; nothing else is looked at
    unmatched,  // a send without its receive, a leave that is not expected, or the other way round
    size,       // two ends of a message, or of a copy, that differ in bytes, or cut blocks apart
    phase,      // two ends of a message in different phases
    race,       // two steps that may run side by side use one slot, and one of them writes it
    deadlock,   // steps that can never end
    unset,      // a slot is read before anything was put there
    misplaced,  // a slot of the receive buffer holds a block that belongs elsewhere, or blocks of two numbers combine
    missing,    // a block never arrives, or lacks a rank's part
    twice,      // a slot of the receive buffer is written again, or a rank's part enters a block again
    port,       // a network port carries more in a phase than the algorithm promises
};

inline constexpr std::uint32_t kFaults = 11;

std::string_view name_of(Fault fault);

struct Violation {
    Fault fault;
    std::string sentence;
};

// All violations, those first that others follow from; of each fault the first few, and how many more there are.
std::vector<Violation> check(const Schedule& schedule);

}  // namespace clearway::schedule
